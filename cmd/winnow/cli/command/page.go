package command

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/winnowhq/winnow/services/ops"
)

// Widths of an answer, in columns. Below narrowest nothing is laid out any more.
const (
	unbounded = 0
	narrowest = 24
	// A column of text is wrapped when it keeps at least so much; else each row is a
	// paragraph.
	leastText = 24
	cellGap   = 2
)

// columns returns how wide text for people may be on a stream: COLUMNS where it is exported,
// else the terminal's width, else unbounded, so that programs get whole lines.
func columns(stream any) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width <= 0 {
		f, ok := stream.(*os.File)
		if !ok || !term.IsTerminal(int(f.Fd())) {
			return unbounded
		}
		if width, _, err = term.GetSize(int(f.Fd())); err != nil || width <= 0 {
			return unbounded
		}
	}
	return max(width, narrowest)
}

// Columns returns how wide text for people may be; 0 means without bounds.
func (a *App) Columns() int { return columns(a.Out) }

// page is a writer of text for people: it loses what a terminal would obey, and no line that
// can be broken between words is wider than the page. Call end after the last write. It is
// not safe for concurrent use.
type page struct {
	to    io.Writer
	width int // unbounded for none
	line  []byte
	err   error
}

func newPage(stream io.Writer) *page {
	return &page{to: ops.Plain(stream), width: columns(stream)}
}

// Write implements [io.Writer]. A line is written when it is complete.
func (p *page) Write(b []byte) (int, error) {
	n := len(b)
	for p.err == nil {
		before, after, found := bytes.Cut(b, []byte("\n"))
		p.line = append(p.line, before...)
		if !found {
			break
		}
		_, p.err = io.WriteString(p.to, fitted(string(p.line), p.width)+"\n")
		p.line, b = p.line[:0], after
	}
	return n, p.err
}

// end writes an incomplete last line.
func (p *page) end() error {
	if p.err == nil && len(p.line) > 0 {
		_, p.err = io.WriteString(p.to, fitted(string(p.line), p.width))
		p.line = nil
	}
	return p.err
}

// fitted returns a line, broken between words when it is wider than width. What follows is
// indented like the line, or like what stands behind its label ("memories      12 active").
func fitted(line string, width int) string {
	if width == unbounded || ansi.StringWidth(line) <= width {
		return line
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	hang := indent
	if number := numbered.FindString(line); number != "" {
		hang = len(number)
	} else if at := strings.Index(line[indent:], "  "); at > 0 {
		behind := len(line) - len(strings.TrimLeft(line[indent+at:], " "))
		if hang = ansi.StringWidth(line[:behind]); hang > width/3 {
			hang = indent + cellGap
		}
	}
	if hang > width/2 {
		hang = cellGap
	}
	return strings.Join(wrapped(line, width, hang), "\n")
}

// numbered is the beginning of an item of a list: "3. " or "- ".
var numbered = regexp.MustCompile(`^ *(\d+\.|[-*·]) `)

// wrapped breaks a line between words. Lines after the first are indented by hang. A word
// stays whole, because it may be an id, a path or a command to copy.
func wrapped(line string, width, hang int) []string {
	var lines []string
	now, used := strings.Builder{}, 0
	for i, word := range strings.Split(line, " ") {
		n := ansi.StringWidth(word)
		switch {
		case i == 0:
		case used+1+n > width && n > 0 && strings.TrimSpace(now.String()) != "":
			lines = append(lines, strings.TrimRight(now.String(), " "))
			now.Reset()
			now.WriteString(strings.Repeat(" ", hang))
			used = hang
		default:
			now.WriteByte(' ')
			used++
		}
		now.WriteString(word)
		used += n
	}
	return append(lines, now.String())
}

// Table prints rows under a head, in columns. Where they are wider than the page, columns
// that are empty in all rows are left out, the last column is wrapped, and when even that
// does not fit each row is a paragraph: the first cell, then the others under their heads.
func Table(w io.Writer, head []string, rows [][]string) {
	width := unbounded
	if p, ok := w.(*page); ok {
		width = p.width
	}
	sizes := sizesOf(head, rows)
	if total(sizes) > width && width != unbounded {
		head, rows = withoutEmpty(head, rows)
		sizes = sizesOf(head, rows)
	}
	last := len(sizes) - 1
	switch {
	case width == unbounded || total(sizes) <= width:
	case width-total(sizes[:last])-cellGap >= leastText:
		sizes[last] = width - total(sizes[:last]) - cellGap
	default:
		paragraphs(w, head, rows, width)
		return
	}
	if len(head) > 0 {
		row(w, head, sizes, width)
	}
	for _, r := range rows {
		row(w, r, sizes, width)
	}
}

// row prints the cells of one row; the last one may take several lines.
func row(w io.Writer, cells []string, sizes []int, width int) {
	var b strings.Builder
	last := len(cells) - 1
	at := 0
	for i, c := range cells[:max(last, 0)] {
		b.WriteString(c + strings.Repeat(" ", max(sizes[i]-ansi.StringWidth(c), 0)+cellGap))
		at += sizes[i] + cellGap
	}
	if last < 0 {
		return
	}
	lines := []string{cells[last]}
	if width != unbounded {
		lines = wrapped(cells[last], sizes[last], 0)
	}
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat(" ", at))
		}
		b.WriteString(l)
	}
	_, _ = io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n")
}

// paragraphs prints each row as its first cell and, indented, the others with their heads.
func paragraphs(w io.Writer, head []string, rows [][]string, width int) {
	if len(rows) == 0 { // the head says what there is none of
		_, _ = io.WriteString(w, strings.Join(wrapped(strings.Join(head, "  "), width, cellGap), "\n")+"\n")
	}
	for _, r := range rows {
		if len(r) == 0 {
			continue
		}
		lines := wrapped(r[0], width, cellGap)
		line := ""
		flush := func() {
			if line != "" {
				lines = append(lines, wrapped("  "+line, width, 2*cellGap)...)
			}
			line = ""
		}
		for i, c := range r[1:] {
			if c == "" {
				continue
			}
			if i+1 < len(head) && head[i+1] != "" {
				c = strings.ToLower(head[i+1]) + ": " + c
			}
			if line != "" && cellGap+ansi.StringWidth(line+", "+c) > width {
				flush()
			}
			if line != "" {
				line += ", "
			}
			line += c
		}
		flush()
		_, _ = io.WriteString(w, strings.Join(lines, "\n")+"\n")
	}
}

// sizesOf returns the width of each column.
func sizesOf(head []string, rows [][]string) []int {
	sizes := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, c := range r {
			if i == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[i] = max(sizes[i], ansi.StringWidth(c))
		}
	}
	return sizes
}

// total returns the width of columns with the gaps between them.
func total(sizes []int) int {
	n := max(len(sizes)-1, 0) * cellGap
	for _, s := range sizes {
		n += s
	}
	return n
}

// withoutEmpty leaves out the columns, but the first, that no row has anything in.
func withoutEmpty(head []string, rows [][]string) (fewer []string, of [][]string) {
	of = make([][]string, len(rows))
	for i := range sizesOf(head, rows) {
		some := i == 0 || len(rows) == 0
		for _, r := range rows {
			some = some || i < len(r) && r[i] != "" && r[i] != "-"
		}
		if !some {
			continue
		}
		if i < len(head) {
			fewer = append(fewer, head[i])
		}
		for n, r := range rows {
			if i < len(r) {
				of[n] = append(of[n], r[i])
			}
		}
	}
	return fewer, of
}
