package shell

import "strings"

// Word is where a word of a command begins and ends.
type Word struct{ From, To int }

// Words returns the words of a command from an offset to its end: a new line
// that no backslash escapes, a pipe, a semicolon or an ampersand. Quotation marks
// stay part of their word.
func Words(text string, from, to int) []Word {
	var out []Word
	for at := from; at < to; {
		switch c := text[at]; {
		case c == ' ' || c == '\t':
			at++
			continue
		case c == '\\' && at+1 < to && (text[at+1] == '\n' || text[at+1] == '\r'):
			at += 2
			continue
		case strings.IndexByte("\n\r|;&`", c) >= 0:
			return out
		}
		start := at
		for quote := byte(0); at < to; at++ {
			c := text[at]
			if quote != 0 {
				if c == quote {
					quote = 0
				}
				if c == '\n' {
					return out
				}
				continue
			}
			if c == '"' || c == '\'' {
				quote = c
				continue
			}
			if strings.IndexByte(" \t\n\r|;&`", c) >= 0 {
				break
			}
		}
		out = append(out, Word{From: start, To: at})
	}
	return out
}

// Items returns the words of a command that is written as a list of strings, from behind its
// first one on, without their quotation marks.
func Items(text string, from, to int) []Word {
	var out []Word
	for at := from; at < to && len(out) < 40; {
		switch c := text[at]; c {
		case ' ', ',', '\n', '\t':
			at++
		case '"', '\'':
			end := strings.IndexByte(text[at+1:to], c)
			if end < 0 {
				return out
			}
			out = append(out, Word{From: at + 1, To: at + 1 + end})
			at += end + 2
		default:
			return out
		}
	}
	return out
}

// Unquoted narrows a shell word to what its quotation marks hold.
func Unquoted(text string, from, to int) (int, int) {
	if to-from >= 2 && (text[from] == '"' || text[from] == '\'') {
		from++
		if text[to-1] == text[from-1] {
			to--
		}
	}
	return from, to
}
