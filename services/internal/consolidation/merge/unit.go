package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// unit is the smallest piece of a text that is taken over or left out: a sentence, an
// entry of a list, a heading, or a block of code.
type unit struct {
	text   string // verbatim, without the marker of its line
	marker string // what the line begins with: "- ", "1. ", "### ", or nothing
	line   int    // number of its line in the text; sentences of one line share it
	block  bool   // a fenced block, with its fences
	// source is the position of its source in the corpus, order its own in all.
	source, order int

	read   *wording.Text
	poison string // why it may not be carried: a detector's id, or empty
	frame  bool   // Winnow's own frame of an earlier merge: its heading, "Details kept"
	// attributes marks a line on what an earlier merge was made of. It states nothing of
	// the theme.
	attributes bool
}

// bare returns the text as it is taken over: without a label such as "**Lesson**:",
// which says nothing outside its note.
func (u *unit) bare() string {
	if u.block || u.heading() {
		return u.text
	}
	return u.read.Clean
}

// states reports whether the unit is a statement that can be compared with another.
func (u *unit) states() bool {
	return u.poison == "" && !u.frame && !u.attributes && !u.block && !u.heading()
}

// heading reports whether the unit is a heading.
func (u *unit) heading() bool { return strings.HasPrefix(u.marker, "#") }

// details returns the specifics of the unit.
func (u *unit) details() *memory.Specifics { return u.read.Specifics() }

// split cuts a text into units, without reading them. It never fails, and no word of
// the text is lost.
func split(text string) []unit {
	var out []unit
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"), "\n")
	for n := 0; n < len(lines); n++ {
		line := strings.TrimSpace(lines[n])
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, fence) {
			end := n + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), fence) {
				end++
			}
			if end < len(lines) { // without its end it is no block but lines
				out = append(out, unit{text: strings.Join(lines[n:end+1], "\n"), line: n, block: true})
				n = end
				continue
			}
		}
		marker, rest := cutMarker(line)
		first := n
		for !strings.HasPrefix(marker, "#") && n+1 < len(lines) && wraps(lines[n], lines[n+1]) {
			n++
			rest += " " + strings.TrimSpace(lines[n])
		}
		for _, s := range sentences(rest) {
			out = append(out, unit{text: s, marker: marker, line: first})
		}
	}
	return out
}

const fence = "```"

// wrapped is the length from which on a line without a full stop was probably broken
// by an editor and not by its author, however the next one begins.
const wrapped = 40

// wraps reports whether the next line goes on with the sentence of this one.
func wraps(line, next string) bool {
	line, next = strings.TrimSpace(line), strings.TrimSpace(next)
	if line == "" || next == "" || strings.HasPrefix(next, fence) {
		return false
	}
	if marker, _ := cutMarker(next); marker != "" || strings.HasPrefix(next, "**") || strings.HasPrefix(next, "|") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	if len(line) < wrapped && !unicode.IsLower(first) {
		return false
	}
	return !strings.ContainsAny(line[len(line)-1:], ".!?:;|") || line[len(line)-1] == ';' && unicode.IsLower(first)
}

// cutMarker returns the marker of a line of Markdown, and what follows it.
func cutMarker(line string) (marker, rest string) {
	for _, m := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "> "} {
		if r, ok := strings.CutPrefix(line, m); ok && strings.TrimSpace(r) != "" {
			return m, strings.TrimSpace(r)
		}
	}
	if h := strings.TrimLeft(line, "#"); len(h) < len(line) && len(line)-len(h) <= 6 && strings.HasPrefix(h, " ") && strings.TrimSpace(h) != "" {
		return line[:len(line)-len(h)] + " ", strings.TrimSpace(h)
	}
	i := 0
	for i < len(line) && i < 3 && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i > 0 && i+2 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' ' {
		return line[:i+2], strings.TrimSpace(line[i+2:])
	}
	return "", line
}

// sentences cuts a line after full stops that end a sentence: outside code and
// brackets, before a blank, and neither of an abbreviation nor of a German date.
func sentences(line string) []string {
	var out []string
	code, open, from := false, 0, 0
	for i, r := range line {
		switch r {
		case '`':
			code = !code
		case '(', '[':
			open++
		case ')', ']':
			open = max(open-1, 0)
		case '.', '!', '?':
			if code || open > 0 || i+1 >= len(line) || !ends(line, i) {
				continue
			}
			out = append(out, strings.TrimSpace(line[from:i+1]))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// ends reports whether the punctuation at i ends a sentence.
func ends(line string, i int) bool {
	next, _ := utf8.DecodeRuneInString(line[i+1:])
	if !unicode.IsSpace(next) {
		return false
	}
	if line[i] != '.' {
		return true
	}
	at := strings.LastIndexAny(line[:i], " \t(") + 1
	word := line[at:i]
	first, n := utf8.DecodeRuneInString(word)
	switch {
	case n == len(word) && unicode.IsUpper(first): // an initial
		return false
	case len(word) <= 2 && strings.Trim(word, "0123456789") == "":
		before := strings.TrimSpace(line[:at])
		if before == "" || strings.ContainsAny(before[len(before)-1:], ".:;!?") { // 1. the first of a list
			return false
		}
		return !dated(strings.TrimSpace(line[i+1:]))
	}
	return !abbreviations[strings.ToLower(word)]
}

// dated reports whether what follows a number and a full stop goes on with a date, or
// with an ordinal: "am 14. April", "im 2. Versuch" is left to its context.
func dated(rest string) bool {
	word, _, _ := strings.Cut(rest, " ")
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLower(r) || months[strings.ToLower(strings.Trim(word, ".,;:"))]
}

var months = memory.WordSet(language.Months, `jan feb apr jun jul aug sep sept okt nov dez`)

// abbreviations whose full stop ends no sentence. EN and DE.
var abbreviations = memory.WordSet(`e.g i.e z.b d.h etc vs cf ca bzw usw nr mr mrs dr st u.a approx evtl ggf inkl incl resp vgl s.o o.ä`)

// compose writes units as a text: sentences of one line in one line, entries of a list
// below each other, and an empty line where the kind of line changes. Headings that
// nothing follows are left out.
func compose(units []unit) string {
	var b strings.Builder
	for n := 0; n < len(units); n++ {
		u := &units[n]
		if u.heading() && (n+1 == len(units) || units[n+1].heading()) {
			continue
		}
		same := n > 0 && b.Len() > 0 && units[n-1].line == u.line && units[n-1].source == u.source && !u.block
		switch {
		case b.Len() == 0:
		case same:
			b.WriteByte(' ')
		case u.marker != "" && units[n-1].marker == u.marker:
			b.WriteByte('\n')
		case units[n-1].source == u.source && units[n-1].marker == "" && u.marker == "" && !u.block && !units[n-1].block && u.line-units[n-1].line <= 1:
			b.WriteByte('\n')
		default:
			b.WriteString("\n\n")
		}
		if !same {
			b.WriteString(u.marker)
		}
		b.WriteString(u.text)
	}
	return b.String()
}
