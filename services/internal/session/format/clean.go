package format

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// clean returns a text without what only a terminal understands: colours and
// other escape sequences, and control characters except tab and line feed. Line
// ends become "\n". Blanks at the end and empty lines at the start are removed
// too.
func clean(s string) string {
	if strings.IndexFunc(s, control) >= 0 {
		s = withoutControl(s)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.TrimRight(strings.TrimLeft(s, "\n"), " \t\n")
}

func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7F || r >= 0x80 && r < 0xA0
}

func withoutControl(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1B:
			n = escape(s[i:])
		case r == '\r':
			// A carriage return without a line feed is a progress bar that
			// overwrites its line.
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case !control(r):
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// escape returns the length of the escape sequence that s begins with. For an
// unfinished sequence the length is 1, so that no text is lost.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, then one letter
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7E {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7E {
				break
			}
		}
		return 1
	case ']': // OSC: a title or a link, up to BEL or ESC \
		for i := 2; i < len(s) && i < 2048; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1B && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return 1
	case '(', ')', '#':
		return min(3, len(s))
	case '=', '>', '7', '8', 'M', 'c', 'D', 'E', 'H':
		return 2
	}
	return 1
}

// cutMiddle returns the beginning and the end of a text longer than limit
// bytes, and how many bytes were removed. Both ends stay because an error
// message stands at one of them.
func cutMiddle(s string, limit int) (string, int) {
	if len(s) <= limit {
		return s, 0
	}
	head, tail := limit/2, len(s)-limit/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "\n[…]\n" + s[tail:], tail - head
}

// tagAlone matches a line that only opens or closes a block: <task>.
var tagAlone = regexp.MustCompile(`^</?[A-Za-z][\w:-]*>$`)

// oneLine returns the first line of a text that has content, at most limit
// runes.
func oneLine(s string, limit int) string {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if strings.Trim(line, "#*->_=`~ ") == "" || tagAlone.MatchString(line) {
			continue
		}
		if utf8.RuneCountInString(line) <= limit {
			return line
		}
		return string([]rune(line)[:limit-1]) + "…"
	}
	return ""
}
