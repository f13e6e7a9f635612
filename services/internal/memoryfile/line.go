package memoryfile

import (
	"regexp"
	"strings"
)

// These expressions recognise the begin of a line. They follow CommonMark where people
// and editors agree with it, and people where they do not.
var (
	atx     = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*))?$`)
	marker  = regexp.MustCompile(`^([ \t]*)([-*+•]|\d{1,9}[.)])(?:([ \t]+)(.*))?$`)
	bold    = regexp.MustCompile(`^\*\*([^*]+)\*\*:?$|^__([^_]+)__:?$`)
	label   = regexp.MustCompile(`^(?:\*\*([^*\n]{1,60})\*\*|__([^_\n]{1,60})__)`)
	pointer = regexp.MustCompile(`^… and [0-9]+ more(?: in .+)?: \[[^\]]*\]\(([^)]+)\)$`)
)

// blank reports whether a line shows nothing.
func blank(line string) bool { return strings.TrimSpace(line) == "" }

// indent returns the column of the first visible character; a tab goes to the next
// multiple of four.
func indent(line string) int {
	column := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column
		}
	}
	return column
}

// outdent removes up to n columns of blanks. A tab that reaches across is removed as a
// whole: it was meant as one step.
func outdent(line string, n int) string {
	column := 0
	for i := range len(line) {
		if column >= n {
			return line[i:]
		}
		switch line[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return line[i:]
		}
	}
	return ""
}

// bullet parses a list item: the columns of its marker and of its content, and the
// content's first line.
func bullet(line string) (at, content int, first string, ok bool) {
	m := marker.FindStringSubmatch(line)
	if m == nil {
		return 0, 0, "", false
	}
	at = indent(m[1] + "x")
	content = at + len([]rune(m[2])) + 1
	// Wider gaps move the content, as in "1.  text"; a gap of five is code.
	if gap := len(m[3]); gap > 1 && gap < 5 && m[4] != "" && !strings.Contains(m[3], "\t") {
		content += gap - 1
	}
	return at, content, m[4], true
}

// thematic reports whether a line is only a separator: three or more of a kind. With
// blanks between them only asterisks count, because "- - -" is also a bullet whose text
// is "- -".
func thematic(line string) bool {
	s := strings.TrimSpace(line)
	if indent(line) > 3 || s == "" {
		return false
	}
	if s[0] == '*' {
		s = strings.ReplaceAll(s, " ", "")
	}
	return len(s) >= 3 && (strings.Trim(s, "-") == "" || strings.Trim(s, "*") == "" || strings.Trim(s, "_") == "")
}

// underline reports whether a line is the underline of a heading, and the level that it
// gives.
func underline(line string) (level int, ok bool) {
	s := strings.TrimRight(line, " \t")
	switch {
	case len(s) < 3:
		return 0, false
	case strings.Trim(s, "=") == "":
		return 1, true
	case strings.Trim(s, "-") == "":
		return 2, true
	}
	return 0, false
}

// fence reports whether a line opens a block of code, and what closes the block.
func fence(line string) (closing string, ok bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return "", false
	}
	for _, c := range []string{"`", "~"} {
		n := len(s) - len(strings.TrimLeft(s, c))
		// Backticks behind it make it a code span within a line.
		if n >= 3 && (c == "~" || !strings.Contains(s[n:], "`")) {
			return s[:n], true
		}
	}
	return "", false
}

// closes reports whether a line ends a block of code.
func closes(line, closing string) bool {
	s := strings.TrimSpace(line)
	return strings.HasPrefix(s, closing) && strings.Trim(s, closing[:1]) == ""
}

func tableRow(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "|") }

func commentOpens(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "<!--") && indent(line) < 4
}

// interrupts reports whether a line ends a paragraph without a blank line between.
func interrupts(line string) bool {
	if _, ok := fence(line); ok {
		return true
	}
	return atx.MatchString(line) || marker.MatchString(line) || thematic(line) || tableRow(line) || commentOpens(line) || pointer.MatchString(line)
}

// Label returns the bold beginning of a text, such as pnpm in "**pnpm**: not npm";
// empty for another beginning.
func Label(text string) string {
	m := label.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.Trim(m[1]+m[2], " :.")
}
