// Command picture draws what a program printed as a terminal would show it, as an SVG:
//
//	COLUMNS=100 winnow demo | picture -title "winnow demo" -most 48 > docs/demo.svg
package main

import (
	"bufio"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
)

// Sizes, in pixels; a character of the font is a little narrower than cell.
const (
	cell, line = 8.4, 19
	margin     = 18
	bar        = 34
)

func main() {
	title := flag.String("title", "", "the command line")
	most := flag.Int("most", 50, "lines at most")
	columns := flag.Int("columns", 100, "width in characters")
	flag.Parse()
	if err := draw(os.Stdout, os.Stdin, *title, *most, *columns); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw writes the picture of the first lines of in.
func draw(out io.Writer, in io.Reader, title string, most, columns int) error {
	var lines []string
	text := bufio.NewScanner(in)
	for text.Scan() {
		if len(lines) < most {
			lines = append(lines, text.Text())
		}
	}
	if text.Err() != nil {
		return text.Err()
	}
	width, height := int(cell*float64(columns))+2*margin, bar+len(lines)*line+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<rect width="100%%" height="100%%" rx="8" fill="#1b1f24"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#d7dde4" xml:space="preserve">
<text x="%d" y="%d" fill="#8b98a5">$ %s</text>
`, width, height, width, height, html.EscapeString(title), margin, bar-8, html.EscapeString(title))
	for i, l := range lines {
		if r := []rune(l); len(r) > columns {
			l = string(r[:columns-1]) + "…"
		}
		if strings.TrimSpace(l) != "" {
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", margin, bar+margin+i*line, style(l), html.EscapeString(l))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// style returns the looks of a line, by how it begins.
func style(l string) string {
	for begin, look := range map[string]string{
		"──": ` fill="#7cc5ff" font-weight="bold"`, "#": ` fill="#ffd479"`, ">": ` fill="#9ae6a0" font-weight="bold"`,
		"promoted ": ` fill="#9ae6a0"`, "rejected ": ` fill="#ff9c9c"`, "quarantined ": ` fill="#ff9c9c"`, "needs_review ": ` fill="#ffd479"`,
	} {
		if strings.HasPrefix(l, begin) {
			return look
		}
	}
	return ""
}
