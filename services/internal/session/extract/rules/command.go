package rules

import (
	"regexp"
	"slices"
	"strings"
)

// invocation is a parsed command: its core and how it was called this time.
// Agents run one command in many forms — in a folder, with a time limit, cut to
// its last forty lines. Two forms are the same attempt when their cores are
// equal.
type invocation struct {
	core string // the command itself: a passage of the line, letter by letter
	env  string // the passage from assignments before the core to its end; empty without
	dir  string // the folder that was changed to; empty where it was not
	lead string // the passage from the change of folder to the core's end
	// prepared is the passage from what sets variables in a command of its own (". ./.env",
	// "export A=b") to the core's end; empty without.
	prepared string
	// masked: the exit status is not the core's but that of a filter after it,
	// or of a command that runs regardless of the core's result.
	masked bool
}

// part is a command of a command line and the operator before it.
type part struct {
	op         string
	start, end int
}

// partsOf splits a command line at its operators, not within quotes or
// brackets.
func partsOf(command string) []part {
	list := []part{{}}
	cut := func(i int, op string) {
		list[len(list)-1].end = i
		list = append(list, part{op: op, start: i + len(op)})
	}
	quote, depth := byte(0), 0
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case depth > 0:
		case strings.HasPrefix(command[i:], "&&"), strings.HasPrefix(command[i:], "||"):
			cut(i, command[i:i+2])
			i++
		case c == '|' || c == ';':
			cut(i, command[i:i+1])
		}
	}
	list[len(list)-1].end = len(command)
	return list
}

var (
	// setsUp matches what is done before the command that matters.
	setsUp = regexp.MustCompile(`^\s*(?:cd|pushd|export|source|set|unset|\.)\s|^\s*(?:[A-Za-z_]\w*=\S*\s*)+$`)
	// shortens matches programs that only show less of an output.
	shortens = regexp.MustCompile(`^\s*(?:tail|head|grep|egrep|rg|tee|cat|less|more|sed|awk|sort|uniq|wc|cut|tr|column|jq)\b`)
	// remarks matches commands that only comment on the one before.
	remarks = regexp.MustCompile(`^\s*(?:echo|printf|true|exit|:)(?:\s|$)`)
	folder  = regexp.MustCompile(`^\s*(?:cd|pushd)\s+["']?([^"'\s]+)["']?\s*$`)
	// limits matches prefixes of a command that are not the command.
	limits      = regexp.MustCompile(`^(?:timeout\s+(?:-[ks]\s+\S+\s+|-\S+\s+)*[\d.]+[smhd]?|time|nice|nohup|stdbuf\s+-\S+)\s+`)
	assignments = regexp.MustCompile(`^(?:env\s+)?(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)\s+)+`)
	// diverts matches the redirection of a command's output.
	diverts = regexp.MustCompile(`\s*(?:\d?>&\d|(?:\d|&)?>>?\s*\S+)\s*$`)
)

// invoked parses a command. The core of a command that only looks around or
// changes the folder is empty or unchanged.
func invoked(command string) invocation {
	var in invocation
	setup := -1 // where variables are set by a command of its own
	list := partsOf(command)
	for len(list) > 1 && (list[1].op == "&&" || list[1].op == ";") && setsUp.MatchString(command[list[0].start:list[0].end]) {
		if m := folder.FindStringSubmatch(command[list[0].start:list[0].end]); m != nil {
			in.dir = m[1]
		} else if setup < 0 {
			setup = list[0].start
		}
		list = list[1:]
	}
	for n := len(list); n > 1; n = len(list) {
		text := command[list[n-1].start:list[n-1].end]
		if op := list[n-1].op; op == "|" && shortens.MatchString(text) || op == ";" && (remarks.MatchString(text) || strings.TrimSpace(text) == "") || op == "||" && remarks.MatchString(text) {
			in.masked = in.masked || strings.TrimSpace(text) != ""
		} else if op != "&&" || !remarks.MatchString(text) {
			break
		}
		list = list[:n-1]
	}
	from, to := list[0].start, list[len(list)-1].end
	for at := diverts.FindStringIndex(command[from:to]); at != nil; at = diverts.FindStringIndex(command[from:to]) {
		to = from + at[0]
	}
	to = from + len(strings.TrimRight(command[from:to], " &"))
	from = to - len(strings.TrimLeft(command[from:to], " "))
	begin := from
	for {
		at := limits.FindStringIndex(command[from:to])
		if at == nil {
			if at = assignments.FindStringIndex(command[from:to]); at != nil && in.env == "" {
				in.env = command[from:to]
			}
		}
		if at == nil {
			break
		}
		from += at[1]
	}
	in.core = command[from:to]
	if setup >= 0 {
		in.prepared = strings.TrimSpace(command[setup:to])
	}
	if in.lead = in.core; in.dir != "" {
		in.lead = command[strings.Index(command[:begin], in.dir):to]
	}
	return in
}

// module matches a program that an interpreter is told to find.
var module = regexp.MustCompile(`^python[\d.]*\s+-m\s+`)

// program returns the word that identifies a command.
func program(command string) string {
	command = module.ReplaceAllString(command, "")
	for word := range strings.FieldsSeq(command) {
		switch {
		case strings.Contains(word, "="), word == "sudo", word == "time", word == "env", word == "npx":
		default:
			return word[strings.LastIndexByte(word, '/')+1:]
		}
	}
	return command
}

// kin reports whether two lines are forms of one command: most words in common,
// or the same program by another way, and both with the same targets. A command
// that passes on half of the files is another command.
func kin(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) == 0 || len(y) == 0 || strings.Join(x, " ") == strings.Join(y, " ") || !slices.Equal(targets(x), targets(y)) || !nested(plainWords(x), plainWords(y)) {
		return false
	}
	in := make(map[string]bool, len(y))
	for _, word := range y {
		in[word] = true
	}
	shared := 0
	for _, word := range x {
		if in[word] {
			shared++
		}
	}
	return shared*2 >= max(len(x), len(y)) || shared == min(len(x), len(y)) && in[program(a)]
}

// targets returns the base names of the files that a command is given, in
// order.
func targets(words []string) []string {
	var list []string
	for i, word := range words {
		if i == 0 || strings.HasPrefix(word, "-") || !strings.ContainsAny(word, "/.:") {
			continue
		}
		list = append(list, word[strings.LastIndexByte(word, '/')+1:])
	}
	slices.Sort(list)
	return list
}

// plainWords returns a command's words without the program, files and flags.
func plainWords(words []string) []string {
	var list []string
	for i, word := range words {
		if i > 0 && !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, "/.:=") {
			list = append(list, word)
		}
	}
	return list
}

// nested reports whether one list has every word of the other: "test" and "run
// test", not "test" and "vet".
func nested(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return !slices.ContainsFunc(a, func(word string) bool { return !slices.Contains(b, word) })
}
