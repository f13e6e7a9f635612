package extract

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// soonSolved is how many turns after a failure its solution is looked for.
const soonSolved = 60

// solutions returns the turns that show what became of failures: the first run of the same
// program that passed, its call, and between the failure and that the last change of a file
// and the last words of the agent.
func solutions(s Session) map[int]bool {
	list := make(map[int]bool)
	for i, l := range s.Lines {
		if !failed(l) || l.Tool.Command == "" {
			continue
		}
		program := programOf(l.Tool.Command)
		said, changed, called := -1, -1, -1
	search:
		for k := i + 1; k < min(len(s.Lines), i+soonSolved); k++ {
			next := s.Lines[k]
			same := next.Tool.Command != "" && programOf(next.Tool.Command) == program
			switch {
			case next.Calls() && same:
				called = k
			case next.Calls() && next.Tool.Kind == trace.KindEdit:
				changed = k
			case next.Role == trace.RoleAssistant && !next.Calls():
				said = k
			case next.Role == trace.RoleTool && same && failed(next):
				break search // the later failure is looked at in its turn
			case next.Role == trace.RoleTool && same && next.Settled:
				for _, at := range []int{said, changed, called, k} {
					if at >= 0 {
						list[at] = true
					}
				}
				break search
			}
		}
	}
	return list
}

// preparing matches the parts of a command line that come before what it is about.
var preparing = regexp.MustCompile(`^\s*(?:cd|pushd|source|export|set|\.)\s|^\s*(?:\w+=\S*\s*)+$`)

// programOf returns the name of the program that a command line is about.
func programOf(command string) string {
	for part := range strings.SplitSeq(strings.ReplaceAll(command, ";", "&&"), "&&") {
		if preparing.MatchString(part) {
			continue
		}
		for word := range strings.FieldsSeq(part) {
			switch {
			case strings.Contains(word, "="), strings.HasPrefix(word, "-"), word == "sudo", word == "env", word == "time", word == "npx", strings.HasPrefix(word, "python"):
			default:
				return word[strings.LastIndexByte(word, '/')+1:]
			}
		}
	}
	return command
}
