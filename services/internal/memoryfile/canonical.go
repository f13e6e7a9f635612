package memoryfile

import (
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxSection is the longest section in bytes, as for sections of proposals.
const maxSection = 256

// separator joins the headings of a path.
const separator = " / "

// Canonical returns a text as it comes back from a memory file: one kind of line end,
// no blanks around it, no blanks on blank lines, which editors strip anyway, and no
// characters that a reader of the file could not see ([memory.Visible]). Every other
// byte stays. It is idempotent; a text that a person typed as one paragraph is
// canonical already.
func Canonical(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = memory.Visible(unixLines(text))
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if blank(line) {
			lines[i] = ""
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// unixLines turns CRLF and a lone CR into LF.
func unixLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// CanonicalSection returns a section as it comes back from a heading: one line, single
// blanks, no closing hashes, at most 256 bytes.
func CanonicalSection(section string) string {
	section = strings.Join(strings.Fields(Canonical(section)), " ")
	for {
		// Headings may be closed by hashes: "## Rules ##".
		open := strings.TrimRight(section, "#")
		if open == section || open != "" && !strings.HasSuffix(open, " ") {
			break
		}
		section = strings.TrimSpace(open)
	}
	if len(section) <= maxSection {
		return section
	}
	cut := maxSection
	for !utf8.RuneStart(section[cut]) {
		cut--
	}
	return CanonicalSection(section[:cut])
}
