package shell

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// reach bounds how far before a flag its program may stand, in bytes.
const reach = 300

var (
	// program matches the beginning of a command: a prompt, assignments, sudo, and the name of
	// a program with at least one more word before the flag, or a path to it.
	program = regexp.MustCompile(`^(?:[$#>]\s+|\w+@[\w.-]+[:~\w/]*[$#]\s+|PS [^>]{0,60}>\s+)?(?:(?:sudo|time|env|exec|nohup)\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)*(?:[a-z0-9./~_][\w.+/~:-]*|[A-Z][a-z]+-[A-Z][A-Za-z]+)(?:\s+[^\s]+)*\s+$`)
	// sentence matches what a command has not: a comma or full stop before a blank, and words
	// that only sentences join.
	sentence = regexp.MustCompile(`[,.;!?:]\s|(?i:(?:^|\s)(?:the|a|an|is|are|was|with|without|via|flag|flags|option|options|when|if|or|and|you|we|it|use|uses|using|der|die|das|ist|mit|und|oder|wenn|man)\s)`)
)

// Argument reports whether what stands at from to to is the argument of a flag whose name
// holds the offset at: a program begins the line, or what a separator of commands or a
// backtick begins, no sentence lies between, and none goes on behind it.
func Argument(text string, at, from, to int) bool {
	head := text[max(0, at-reach):at]
	if i := strings.LastIndexAny(head, "\n`"); i >= 0 {
		head = head[i+1:]
	}
	for _, sep := range []string{"&& ", "| ", "; "} {
		if i := strings.LastIndex(head, sep); i >= 0 {
			head = head[i+len(sep):]
		}
	}
	// The flag itself, up to the blank before it.
	flag := strings.LastIndexAny(head, " \t")
	if flag < 0 {
		return false
	}
	head = strings.TrimLeft(head[:flag+1], " \t*-")
	if head == "" || sentence.MatchString(head) || !program.MatchString(head) {
		return false
	}
	for to < len(text) && strings.IndexByte("\"'", text[to]) >= 0 {
		to++
	}
	rest := text[to:min(len(text), to+40)]
	if !strings.HasPrefix(rest, " ") {
		return true
	}
	next, _, _ := strings.Cut(rest[1:], " ")
	return !plausible.FunctionWords[strings.ToLower(strings.Trim(next, ".,;:"))]
}
