package trust

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// special judges the programs whose arguments can be programs or code. ok is
// false for all others, and for those that no list has as printers.
func (s *script) special(name string, args []word, redirs []*syntax.Redirect) (reaches, ok bool) {
	if name == "git" {
		return git(s, name, args), true
	}
	if !listed(s.config.Printers, name, args) {
		return false, false
	}
	switch name {
	case "find", "fd", "fdfind":
		return find(s, name, args), true
	case "awk", "gawk", "mawk", "nawk":
		return awk(s, name, args), true
	case "sed", "gsed":
		return sed(s, name, args), true
	case "sqlite3":
		return sqlite(s, args, redirs), true
	case "tar", "zip":
		return packs(args), true
	case "alias":
		return alias(s, name, args), true
	case "trap":
		return trap(s, name, args), true
	case "hash":
		return hash(s, name, args), true
	}
	return false, false
}

// find judges what find and fd start, and where they look.
func find(s *script, name string, args []word) bool {
	looks := true
	for i, a := range args {
		switch a.text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			if (a.text == "-x" || a.text == "-X") && name == "find" {
				continue
			}
			if len(args) == i+1 || s.program(args[i+1:until(args, i+1)], nil, true) {
				return true
			}
		}
		if looks = looks && !strings.HasPrefix(a.text, "-") && a.text != "(" && a.text != "!"; looks && name == "find" && s.config.foreign(a.text, false) {
			return true
		}
	}
	return false
}

// until returns the end of a command within the arguments of find.
func until(args []word, from int) int {
	for i := from; i < len(args); i++ {
		if args[i].text == ";" || args[i].text == "+" {
			return i
		}
	}
	return len(args)
}

var (
	awkStarts = regexp.MustCompile(`\bsystem\s*\(|\bgetline\b|/inet|\|&?\s*["(]|["\w)]\s*\|&?\s*(?:getline|")|@load|@include`)
	sedStarts = regexp.MustCompile(`(?m)(?:^|[;{}]|[\d$]|/)\s*e(?:\s+\S|$)|[/|#,@:!][gpIiMm\d]*e[gpIiMm\d]*\s*(?:$|[;}])`)
)

func awk(s *script, name string, args []word) bool {
	for _, a := range args {
		if awkStarts.MatchString(a.text) {
			return true
		}
	}
	// The first operand is the program. One that only the shell knows could be
	// any program.
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "-F" || text == "-v" || text == "-f":
			if i++; text == "-f" {
				return s.reads(name, args[min(i, len(args)):])
			}
		case strings.HasPrefix(text, "-"):
		default:
			return !args[i].known || s.reads(name, args[i:])
		}
	}
	return false
}

func sed(s *script, name string, args []word) bool {
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") { // -e'1e curl', --expression=...
			if _, code, ok := strings.Cut(a.text, "e"); ok && sedStarts.MatchString(strings.TrimPrefix(code, "xpression=")) {
				return true
			}
			continue
		}
		if strings.ContainsAny(a.text, "/;{}|#,@:! ") && sedStarts.MatchString(a.text) && !pathLike.MatchString(a.text) {
			return true
		}
	}
	return s.reads(name, args)
}

var pathLike = regexp.MustCompile(`^[\w./-]+\.\w+$`)

// sqliteStarts matches what makes sqlite run or load a program.
var sqliteStarts = regexp.MustCompile(`(?i)\.(?:sh|sy|import|load|once|out|excel|www)|load_extension|\bedit\s*\(|\|`)

func sqlite(s *script, args []word, redirs []*syntax.Redirect) bool {
	text, _ := joined(args)
	given, _ := s.given(redirs)
	return sqliteStarts.MatchString(text) || sqliteStarts.MatchString(given)
}

// packs judges the program through which tar or zip is told to pipe.
func packs(args []word) bool {
	for i, a := range args {
		switch {
		case a.text == "-I" && i+1 < len(args) && !memory.WordSet("zstd gzip pigz xz bzip2 pbzip2 lz4")[args[i+1].text], a.text == "-TT", a.text == "--unzip-command":
			return true
		}
	}
	s := script{}
	return s.starts(args)
}

// alias judges what a name will stand for.
func alias(s *script, _ string, args []word) bool {
	for _, a := range args {
		if _, line, ok := strings.Cut(a.text, "="); ok && (!a.known || s.config.reaches(line, s.nested+1)) {
			return true
		}
	}
	return false
}

func trap(s *script, _ string, args []word) bool {
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		return !a.known || strings.TrimSpace(a.text) != "" && s.config.reaches(a.text, s.nested+1)
	}
	return false
}

// hash can replace a program by another one.
func hash(_ *script, _ string, args []word) bool {
	return len(args) > 0 && strings.HasPrefix(args[0].text, "-p")
}

// gitProgram matches the settings that name a program.
var gitProgram = regexp.MustCompile(`(?i)^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|pager\.|sequence\.editor|gpg\..*program|credential\..*helper|diff\.external|diff\..*\.(?:command|textconv)|filter\.|merge\..*\.driver|(?:diff|merge)tool\.|interactive\.)`)

// gitSettings lists the settings that a command may bring with -c, because they
// name no program.
var gitSettings = []string{"user.", "color.", "advice.", "commit.gpgsign", "tag.gpgsign", "core.quotepath", "core.autocrlf", "init.", "safe.", "diff.renames", "log.", "merge.conflictstyle", "pager."}

// git judges a command of git: what it fetches, the program that it is told to
// start, and whether it prints what others wrote.
func git(s *script, _ string, args []word) bool {
	args, ok := gitOptions(args)
	switch {
	case !ok:
		return true
	case len(args) == 0:
		return false
	case !args[0].known:
		return true
	}
	sub, rest := args[0].text, args[1:]
	if s.starts(rest) {
		return true
	}
	for i, a := range rest {
		switch {
		case strings.Contains(a.text, "FETCH_HEAD"), strings.HasPrefix(a.text, "refs/pull/"), strings.HasPrefix(a.text, "refs/merge-requests/"):
			return true
		case sub == "rebase" && (a.text == "-x" || a.text == "--exec"):
			if i+1 == len(rest) || !rest[i+1].known || s.config.reaches(rest[i+1].text, s.nested+1) {
				return true
			}
		case sub == "bisect" && a.text == "run":
			return s.program(rest[i+1:], nil, false)
		case sub == "config" && (strings.HasPrefix(a.text, "!") || gitProgram.MatchString(a.text) && i+1 < len(rest)):
			return true
		case sub == "grep" && strings.HasPrefix(a.text, "-O"):
			return true
		case a.text == "-m" || a.text == "--message" || a.text == "-am" || a.text == "--":
			// The rest is a message or names of files.
			return !s.gitKnows(sub, rest) || s.reads(sub, rest[i+1:])
		}
	}
	return !s.gitKnows(sub, rest) || s.reads(sub, rest)
}

func (s *script) gitKnows(sub string, rest []word) bool {
	return sub == "remote" && len(rest) == 0 || listed(s.config.Printers, "git", append([]word{{text: sub, known: true}}, rest...))
}

// gitOptions removes the options before the command; ok is false for an option
// that names a program.
func gitOptions(args []word) (rest []word, ok bool) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		switch text := args[0].text; {
		case text == "--version" || text == "--help":
			return args, true
		case text == "-c" || text == "-C" || text == "--git-dir" || text == "--work-tree" || text == "--namespace":
			if len(args) < 2 || text == "-c" && !harmlessSetting(args[1]) {
				return nil, false
			}
			args = args[2:]
			continue
		case strings.HasPrefix(text, "--exec-path"), strings.HasPrefix(text, "-c"), strings.HasPrefix(text, "--config-env"):
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

func harmlessSetting(w word) bool {
	name := strings.ToLower(w.text)
	for _, prefix := range gitSettings {
		if strings.HasPrefix(name, prefix) {
			_, value, _ := strings.Cut(name, "=")
			return prefix != "pager." || value == "false" || value == "cat"
		}
	}
	return name == "core.pager=cat" || name == "core.editor=true"
}
