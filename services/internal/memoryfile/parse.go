package memoryfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the largest memory file that is read. Agents load these files whole, so a
// larger one is a mistake and not a memory file.
const MaxBytes = 4 << 20

// Parse parses a memory file. It is linear in the size of the file, accepts CRLF and a
// byte order mark, and never panics. The error is a [Problem].
func Parse(data []byte) (File, error) {
	lines, err := decode(data)
	if err != nil {
		return File{}, err
	}
	if n := conflict(lines); n > 0 {
		return File{}, &Problem{Line: n, What: "merge conflict marker", Remedy: "resolve the conflict and read the file again", kind: ErrConflict}
	}
	p := parser{lines: lines, lastClose: -1}
	for i, line := range lines {
		if strings.Contains(line, "-->") {
			p.lastClose = i
		}
	}
	if p.file.FrontMatter, p.at, err = front(lines); err != nil {
		return File{}, err
	}
	for p.at < len(p.lines) {
		p.block()
	}
	p.name()
	return p.file, nil
}

// decode checks that data is text and cuts it into lines.
func decode(data []byte) ([]string, error) {
	if len(data) > MaxBytes {
		return nil, &Problem{
			What:   fmt.Sprintf("a memory file of more than %d MiB", MaxBytes>>20),
			Remedy: "split it, or publish what it is made of as sessions", kind: ErrTooLarge,
		}
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if i := strings.IndexByte(text, 0); i >= 0 || !utf8.ValidString(text) {
		return nil, &Problem{Line: 1 + strings.Count(text[:max(i, 0)], "\n"), What: "this is not UTF-8 text", Remedy: "name a Markdown file, saved as UTF-8", kind: ErrNotText}
	}
	return strings.Split(unixLines(text), "\n"), nil
}

// conflict returns the line of the first conflict marker of git, 0 for none. One marker
// alone may be ordinary text; both ends are no accident.
func conflict(lines []string) int {
	first, last := 0, false
	for i, line := range lines {
		switch {
		case first == 0 && (line == "<<<<<<<" || strings.HasPrefix(line, "<<<<<<< ")):
			first = i + 1
		case line == ">>>>>>>" || strings.HasPrefix(line, ">>>>>>> "):
			last = last || first > 0
		}
	}
	if !last {
		return 0
	}
	return first
}

// parser iterates over the lines. Sections are named at the end, because only later
// headings show whether the first one is the title.
type parser struct {
	lines []string
	at    int // the next line
	file  File
	under []int // for each entry, how many headings came before it
	after int   // the line behind the last entry
	// joined is the number of entries when the last of them took in a block, so
	// that it takes one.
	joined int
	// lastClose is the last line that ends an HTML comment, so that the end of an
	// unclosed comment is not searched for again and again.
	lastClose int
}

// block parses one block from p.at.
func (p *parser) block() {
	line := p.lines[p.at]
	if blank(line) || thematic(line) {
		p.at++
		return
	}
	if m := atx.FindStringSubmatch(line); m != nil {
		p.heading(len(m[1]), m[2])
		return
	}
	if m := pointer.FindStringSubmatch(line); m != nil {
		p.file.Links = append(p.file.Links, Link{Line: p.at + 1, Target: m[1], Alone: true})
		p.at++
		return
	}
	if closing, ok := fence(line); ok {
		p.verbatim(func(i int) bool { return i > p.at+1 && closes(p.lines[i-1], closing) })
		return
	}
	if tableRow(line) {
		p.verbatim(func(i int) bool { return !tableRow(p.lines[i]) })
		return
	}
	if commentOpens(line) && p.comment() {
		return
	}
	if _, _, _, ok := bullet(line); ok {
		p.item()
		return
	}
	p.paragraph()
}

// heading parses the line at p.at as a heading. Some people write their notes into the
// heading itself; a heading that is too long for a section becomes an entry too, so
// that it is not cut short.
func (p *parser) heading(level int, text string) {
	name := CanonicalSection(text)
	if name != "" {
		p.file.Headings = append(p.file.Headings, Heading{Line: p.at + 1, Level: level, Text: name})
	}
	p.at++
	if len(name) < len(strings.TrimSpace(text)) && len(text) > maxSection {
		p.add(p.at-1, text)
	}
}

// add adds an entry with the text, which began at line begin (from 0).
func (p *parser) add(begin int, text string) {
	p.after = p.at
	if text = Canonical(text); text == "" {
		return
	}
	p.file.Entries = append(p.file.Entries, Entry{Line: begin + 1, Text: text})
	p.under = append(p.under, len(p.file.Headings))
	p.file.Links = append(p.file.Links, links(text, begin+1)...)
}

// item parses a bullet with all that belongs to it: every indented line, and the lines
// of its own paragraph that are not indented.
func (p *parser) item() {
	begin := p.at
	at, content, first, _ := bullet(p.lines[begin])
	text := []string{first}
	blanks := 0
	for p.at++; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if blank(line) {
			blanks++
			continue
		}
		inside := indent(line) >= at+2
		if !inside && (blanks > 0 || interrupts(line)) {
			break
		}
		text = append(text, slices.Repeat([]string{""}, blanks)...)
		text = append(text, outdent(line, content))
		blanks = 0
	}
	p.at -= blanks
	p.add(begin, strings.Join(text, "\n"))
}

// verbatim parses a block of code or a table up to the line that done names. A block
// after a colon belongs to the entry with the colon: "Register both:" is useless
// without its code.
func (p *parser) verbatim(done func(i int) bool) {
	begin := p.at
	deep := indent(p.lines[begin])
	var text []string
	end := begin
	for ; end < len(p.lines) && !done(end); end++ {
		text = append(text, outdent(p.lines[end], deep))
	}
	p.at = end
	if n := len(p.file.Entries); n > 0 && p.under[n-1] == len(p.file.Headings) {
		last := &p.file.Entries[n-1]
		gap := begin - p.after
		if n != p.joined && strings.HasSuffix(last.Text, ":") && gap <= 1 && strings.TrimSpace(strings.Join(p.lines[p.after:begin], "")) == "" {
			last.Text = Canonical(last.Text + strings.Repeat("\n", gap+1) + strings.Join(text, "\n"))
			p.after, p.joined = p.at, n
			return
		}
	}
	p.add(begin, strings.Join(text, "\n"))
}

// comment parses an HTML comment and reports whether it was one: an unclosed comment is
// text, so that it does not swallow the rest of the file.
func (p *parser) comment() bool {
	begin := p.at
	first := strings.TrimSpace(p.lines[begin])[len("<!--"):]
	var text []string
	for i := begin; i <= p.lastClose; i++ {
		line := p.lines[i]
		if i == begin {
			line = first
		}
		body, rest, closed := strings.Cut(line, "-->")
		text = append(text, body)
		if !closed {
			continue
		}
		p.file.Comments = append(p.file.Comments, Comment{Line: begin + 1, Text: Canonical(strings.Join(text, "\n"))})
		p.at = i + 1
		if !blank(rest) {
			p.at = i
			p.lines[i] = strings.TrimSpace(rest)
		}
		return true
	}
	return false
}

// paragraph parses lines up to a blank one. A single line may be a heading: an
// underlined one, or one in bold over a list.
func (p *parser) paragraph() {
	begin := p.at
	line := p.lines[begin]
	if begin+1 < len(p.lines) {
		if level, ok := underline(p.lines[begin+1]); ok {
			p.heading(level, line)
			p.at = begin + 2
			return
		}
	}
	if m := bold.FindStringSubmatch(strings.TrimSpace(line)); m != nil && p.listFollows() {
		p.heading(7, strings.TrimRight(m[1]+m[2], ": "))
		return
	}
	deep := indent(line)
	text := []string{outdent(line, deep)}
	for p.at++; p.at < len(p.lines); p.at++ {
		if line = p.lines[p.at]; blank(line) || interrupts(line) {
			break
		}
		text = append(text, outdent(line, deep))
	}
	p.add(begin, strings.Join(text, "\n"))
}

// listFollows reports whether the next non-blank line is a bullet.
func (p *parser) listFollows() bool {
	for _, line := range p.lines[p.at+1:] {
		if !blank(line) {
			return marker.MatchString(line)
		}
	}
	return false
}
