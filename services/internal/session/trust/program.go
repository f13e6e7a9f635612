package trust

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// program reports whether one program with its arguments reaches the network.
// fed says that further arguments come from another program's output, as with
// xargs.
func (s *script) program(words []word, redirs []*syntax.Redirect, fed bool) bool {
	words, again := s.unwrapped(words)
	switch {
	case again:
		return true
	case len(words) == 0:
		return false
	case !words[0].known || words[0].open && words[0].text != "[" || strings.TrimSpace(words[0].text) == "":
		return true
	}
	for _, w := range words[1:] {
		if connects(w.text) {
			return true
		}
	}
	name, args := strings.ToLower(path.Base(words[0].text)), words[1:]
	switch {
	case shells[name]:
		return s.shell(name, args, redirs, fed)
	case name == "." || name == "source":
		return len(args) == 0 || !args[0].known || strings.HasPrefix(args[0].text, "/dev/") || s.runs(args[0].text, s.lines)
	case interpreter(name):
		return s.interpreter(name, args, redirs, fed)
	case matched(s.config.Commands, name):
		return !s.local(args)
	case listed(s.config.Registries, name, args):
		return s.schemes(args)
	}
	if reaches, ok := s.special(name, args, redirs); ok {
		return reaches
	}
	switch {
	case listed(s.config.Printers, name, args):
		return s.starts(args) || s.reads(name, args)
	case listed(s.config.Builders, name, args), s.workspace(words[0].text):
		return s.addressed(args) || s.readsInside(args) || name == "go" && startsTool(args) ||
			s.runs(words[0].text, func(content string) bool { return s.lines(content) || s.code(content) })
	}
	return true
}

// startsTool reports whether go is given a program to run.
func startsTool(args []word) bool {
	for _, a := range args {
		flag, _, _ := strings.Cut(strings.TrimLeft(a.text, "-"), "=")
		if strings.HasPrefix(a.text, "-") && (flag == "exec" || flag == "toolexec" || flag == "vettool") {
			return true
		}
	}
	return false
}

// listed reports whether a list has the program, or its first words.
func listed(list []string, name string, args []word) bool {
	if plain := withoutOptions(args); len(plain) < len(args) && listed(list, name, plain) {
		return true
	}
	for _, entry := range list {
		if !strings.HasPrefix(entry, name) && !strings.ContainsAny(entry, `*?[\`) {
			continue // nearly all of them
		}
		first, rest, more := strings.Cut(entry, " ")
		if first != name && !(strings.ContainsAny(first, "*?[") && matched([]string{first}, name)) {
			continue
		}
		if !more {
			return true
		}
		fits := true
		for i, want := range strings.Fields(rest) {
			fits = fits && i < len(args) && args[i].known && strings.EqualFold(args[i].text, want)
		}
		if fits {
			return true
		}
	}
	return false
}

// withoutOptions removes the options that stand before a command of npm, go,
// cargo and similar programs: the working folder and the release.
func withoutOptions(args []word) []word {
	for len(args) > 1 {
		switch text := args[0].text; {
		case text == "-C" || text == "--prefix" || text == "-w" || text == "--workspace" || text == "--cwd" || text == "--filter" || text == "-F" || text == "--dir":
			args = args[2:]
		case strings.HasPrefix(text, "+") || strings.HasPrefix(text, "--prefix=") || strings.HasPrefix(text, "--filter=") || strings.HasPrefix(text, "--workspace="),
			text == "-s" || text == "--silent" || text == "-q" || text == "--quiet" || text == "-r":
			args = args[1:]
		default:
			return args
		}
	}
	return args
}

// workspace reports whether a program is in the workspace, or was made beside
// it: not where systems and package managers install programs.
func (s *script) workspace(name string) bool {
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "~") || s.config.foreign(name, false) {
		return false
	}
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/snap/", "/nix/", "/dev/", "/proc/", "/System/", "/Library/", "/Applications/"} {
		if strings.HasPrefix(name, dir) {
			return false
		}
	}
	return !strings.Contains(name, "/go/bin/") && !strings.Contains(name, "/.local/")
}

// wrapper is a program that runs the command that follows it.
type wrapper struct {
	values string // its flags that take the next word
	skip   int    // words of its own before the command
	text   bool   // the command is one text
}

var wrappers = map[string]wrapper{
	"sudo": {values: "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir"}, "doas": {values: "-u -C"},
	"env": {values: "-u -C -P --unset --chdir"}, "time": {values: "-f -o"}, "gtime": {values: "-f -o"}, "nice": {values: "-n"},
	"ionice": {values: "-c -n -p"}, "nohup": {}, "setsid": {}, "stdbuf": {values: "-i -o -e"}, "unbuffer": {}, "exec": {values: "-a"},
	"command": {}, "builtin": {}, "busybox": {}, "toybox": {}, "chronic": {}, "caffeinate": {values: "-t -w"}, "cross-env": {},
	"timeout": {values: "-k -s --kill-after --signal", skip: 1}, "gtimeout": {values: "-k -s --kill-after --signal", skip: 1},
	"taskset": {skip: 1}, "flock": {values: "-w -E --timeout", skip: 1}, "faketime": {skip: 1}, "strace": {values: "-e -o -p -s -u"},
	"watch": {values: "-n --interval", text: true}, "parallel": {values: "-j --jobs -a --arg-file -N -n -I --colsep", text: true},
	"xargs": {values: "-I -J -R -n -P -L -d -s -a -E --max-args --max-procs --delimiter --arg-file --replace"},
	// Of package managers: a program that is installed in the workspace.
	"uv run": {}, "poetry run": {}, "pipenv run": {}, "hatch run": {}, "pdm run": {}, "rye run": {}, "bundle exec": {}, "pnpm exec": {},
	"mise exec": {}, "mise x": {}, "asdf exec": {}, "direnv exec": {skip: 1}, "conda run": {values: "-n -p --name --prefix"}, "npx --no-install": {}, "npx --no": {},
}

// unwrapped removes the commands that run others. bad reports that what they
// run is unknown, or reaches the network.
func (s *script) unwrapped(words []word) (rest []word, bad bool) {
	fed := false
	for len(words) > 0 && words[0].known {
		name := strings.ToLower(path.Base(words[0].text))
		w, ok := wrappers[name]
		n := 1
		if !ok && len(words) > 1 && words[1].known {
			w, ok = wrappers[name+" "+words[1].text]
			n = 2
		}
		if !ok {
			return s.fed(words, fed)
		}
		fed = fed || name == "xargs" || name == "parallel"
		if words, bad = s.behind(name, w, words[n:]); bad {
			return nil, true
		}
		if len(words) == 0 && fed && name != "xargs" {
			return nil, true // the command comes from another program
		}
		if w.text && len(words) > 0 {
			text, known := joined(words)
			return nil, !known || s.config.reaches(text, s.nested+1)
		}
	}
	return s.fed(words, fed)
}

// fed judges a command that gets further arguments from another program: a
// shell or an interpreter would run them.
func (s *script) fed(words []word, fed bool) ([]word, bool) {
	if !fed || len(words) == 0 {
		return words, false
	}
	return nil, s.program(words, nil, true)
}

// behind returns the command after the flags, assignments and words of a
// wrapper.
func (s *script) behind(name string, w wrapper, words []word) (rest []word, bad bool) {
	skip := w.skip
	for len(words) > 0 {
		text := words[0].text
		variable, value, assigned := strings.Cut(text, "=")
		switch {
		case text == "--":
			words = words[1:]
			for range min(skip, len(words)) {
				words = words[1:]
			}
			return words, false
		case name == "env" && (text == "-S" || text == "--split-string" || strings.HasPrefix(text, "-S") || strings.HasPrefix(text, "--split-string=")):
			line, known := joined(words[1:])
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "--split-string"), "-S"), "=") + " " + line
			return nil, !known || s.config.reaches(line, s.nested+1)
		case name == "command" && (text == "-v" || text == "-V"):
			return nil, false
		case strings.HasPrefix(text, "-"):
			words = words[1:]
			if memory.WordSet(w.values)[text] && len(words) > 0 {
				words = words[1:]
			}
		case assigned && variable != "" && !strings.ContainsAny(variable, "/."+unknown):
			if s.assigns(variable, word{text: value, known: words[0].known}) {
				return nil, true
			}
			words = words[1:]
		case skip > 0:
			words, skip = words[1:], skip-1
		default:
			return words, false
		}
	}
	return nil, false
}

// joined returns the text of words, and whether all of it is known.
func joined(words []word) (string, bool) {
	parts, known := make([]string, len(words)), true
	for i, w := range words {
		parts[i] = w.text
		known = known && w.known
	}
	return strings.Join(parts, " "), known
}

// shells holds the shells, which run an argument or what is piped into them.
var shells = map[string]bool{"bash": true, "sh": true, "zsh": true, "dash": true, "ksh": true, "mksh": true, "ash": true, "fish": true, "eval": true}

// shell judges a shell started within a shell. A script of the workspace is the
// workspace's; without a script the shell runs its input.
func (s *script) shell(name string, args []word, redirs []*syntax.Redirect, fed bool) bool {
	if name == "eval" {
		text, known := joined(args)
		return !known || fed || s.config.reaches(text, s.nested+1)
	}
	code := false
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case !args[i].known:
			return true
		case text == "--version" || text == "--help":
			return false
		case text == "-o" || text == "+o" || text == "-O" || text == "+O" || text == "--rcfile" || text == "--init-file":
			i++
		case strings.HasPrefix(text, "--") || strings.HasPrefix(text, "+"):
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if strings.Contains(text, "s") && !strings.Contains(text, "c") {
				return true
			}
			code = code || strings.Contains(text, "c")
		case code:
			return s.config.reaches(text, s.nested+1)
		default: // a script
			return text == "-" || strings.HasPrefix(text, "/dev/") || strings.HasPrefix(text, "/proc/") || s.config.foreign(text, true) || s.addressed(args[i+1:]) || s.runs(text, s.lines)
		}
	}
	text, given := s.given(redirs)
	return code || fed || !given || s.config.reaches(text, s.nested+1)
}

// given returns the text that a redirection feeds a program; false where there
// is none, or the line does not contain it.
func (s *script) given(redirs []*syntax.Redirect) (text string, given bool) {
	for _, r := range redirs {
		var w word
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w = s.word(r.Hdoc)
		case syntax.WordHdoc:
			w = s.word(r.Word)
		default:
			continue
		}
		if !w.known {
			return "", false
		}
		text, given = text+w.text+"\n", true
	}
	return text, given
}

// interpreter reports whether a program runs code given to it.
func interpreter(name string) bool { return interpreters.MatchString(name) }

var interpreters = regexp.MustCompile(`^(?:python|pypy|node|nodejs|perl|ruby|php|lua|luajit|tclsh|rscript|pwsh|powershell|osascript)[\d.]*(?:\.exe)?$`)

// opens matches code on a command line that opens a connection, starts a
// program or hides what it does.
var opens = regexp.MustCompile(`(?i)urllib|requests|httpx|aiohttp|http\.|https?['"]|\bsocket|ftplib|smtplib|telnetlib|imaplib|poplib|subprocess|\bos\.(?:system|popen|exec|spawn)|popen|\bpty\b|ctypes|` +
	`\bexec\w*\s*\(|\beval\s*[\s("']|__import__|importlib|base64|b64decode|codecs|marshal|webbrowser|fetch\s*\(|axios|\bnet\b|dgram|\btls\b|child_process|spawn|process\.binding|` +
	`curl|wget|open-uri|net/http|Net::|LWP|IO::Socket|socket|\bsystem\b|\bqx\b|` + "`" + `|%x|file_get_contents\s*\(\s*['"]\w+://|fsockopen|shell_exec|passthru|proc_open|Invoke-|\biwr\b|\birm\b|DownloadString|-enc|://|/inet/`)

// interpreter judges code that stands in the line, and scripts.
func (s *script) interpreter(name string, args []word, redirs []*syntax.Redirect, fed bool) bool {
	text, known := joined(args)
	for i, a := range args {
		flag := a.text
		switch {
		case flag == "--version" || flag == "-V" || flag == "--help" || flag == "-v" && name != "ruby" && name != "perl":
			return false
		case strings.HasPrefix(name, "py") && pythonModule.MatchString(flag):
			if module := pythonModule.FindStringSubmatch(flag)[1]; module != "" {
				return s.module(append([]word{{text: module, known: a.known}}, args[i+1:]...))
			}
			return s.module(args[i+1:])
		case carriesCode(name, flag):
			return !known || fed || opens.MatchString(text) || s.mentions(text)
		case flag == "-":
			code, given := s.given(redirs)
			return !given || opens.MatchString(code) || s.mentions(code)
		case strings.HasPrefix(flag, "-"):
			if strings.HasPrefix(flag, "--") && opens.MatchString(flag) || strings.HasPrefix(flag, "-M") && opens.MatchString(flag) || strings.HasPrefix(flag, "-r") && opens.MatchString(text) {
				return true
			}
		default: // a script
			if !a.known {
				return true
			}
			if dir, file := path.Split(flag); strings.HasSuffix(dir, "/.bin/") {
				return s.program(append([]word{{text: file, known: true}}, args[i+1:]...), nil, fed)
			}
			return strings.HasPrefix(flag, "/dev/") || s.addressed(args) || s.readsInside(args) || s.runs(flag, s.code)
		}
	}
	code, given := s.given(redirs)
	return !given || fed || opens.MatchString(code) || s.mentions(code)
}

// Flags of python that take nothing may stand before the one that counts.
var (
	pythonModule = regexp.MustCompile(`^-[bBdEiIOPqsSuvx]*m(.*)$`)
	pythonCode   = regexp.MustCompile(`^-[bBdEiIOPqsSuvx]*c`)
)

// carriesCode reports whether a flag is followed by code.
func carriesCode(name, flag string) bool {
	switch {
	case !strings.HasPrefix(flag, "-"):
		return false
	case strings.HasPrefix(name, "py"):
		return pythonCode.MatchString(flag)
	case name == "pwsh", name == "powershell":
		return strings.HasPrefix(strings.ToLower(flag), "-c") || strings.HasPrefix(strings.ToLower(flag), "-e")
	case strings.HasPrefix(flag, "--"):
		return strings.HasPrefix(flag, "--eval") || strings.HasPrefix(flag, "--print") || strings.HasPrefix(flag, "--run")
	case strings.HasPrefix(name, "node"):
		return flag == "-e" || flag == "-p" || flag == "-pe"
	case strings.HasPrefix(name, "php"):
		return flag == "-r" || flag == "-B" || flag == "-E" || flag == "-R"
	}
	return strings.ContainsAny(flag, "eE") && !strings.HasPrefix(flag, "-I") && !strings.HasPrefix(flag, "-M")
}

// module judges python -m: a module that belongs to a package manager or opens
// connections is not the workspace's.
func (s *script) module(args []word) bool {
	if len(args) == 0 || !args[0].known {
		return true
	}
	name := strings.ToLower(args[0].text)
	if name == "pip" {
		return s.program(args, nil, false)
	}
	first, _, _ := strings.Cut(name, ".")
	if memory.WordSet("http urllib ftplib telnetlib smtplib poplib imaplib nntplib webbrowser requests httpx aiohttp wget xmlrpc pydoc code")[first] {
		return true
	}
	return s.addressed(args[1:]) || s.readsInside(args[1:])
}
