package memoryfile

import (
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxDated is how much of a line is searched for a date, in bytes.
const maxDated = 2 << 10

// name gives every entry its section and its date, now that all headings are
// known.
func (p *parser) name() {
	f := &p.file
	titled := p.titled()
	if titled {
		f.Title = f.Headings[0].Text
	}
	path, dates := paths(f.Headings, titled)
	for i := range f.Entries {
		e := &f.Entries[i]
		first, _, _ := strings.Cut(e.Text, "\n")
		e.ObservedAt = observed(first)
		if n := p.under[i]; n > 0 {
			e.Section = path[n-1]
			if e.ObservedAt.IsZero() {
				e.ObservedAt = dates[n-1]
			}
		}
	}
}

// titled reports that the first heading names the file and no section: it is of
// the first level, nothing was said before it, and either it reads like a
// file's name or deeper headings follow.
func (p *parser) titled() bool {
	h := p.file.Headings
	if len(h) == 0 || h[0].Level != 1 || len(p.under) > 0 && p.under[0] == 0 {
		return false
	}
	text := strings.ToLower(h[0].Text)
	return strings.HasPrefix(text, "memory") || strings.HasSuffix(text, ".md") || len(h) > 1 && h[1].Level > 1
}

// paths is the section that each heading opens, and the date that it or one
// above it begins with, as the headings of a log do.
func paths(headings []Heading, titled bool) ([]string, []time.Time) {
	path := make([]string, len(headings))
	dates := make([]time.Time, len(headings))
	var open []int
	for i, h := range headings {
		if titled && i == 0 {
			continue
		}
		for len(open) > 0 && headings[open[len(open)-1]].Level >= h.Level {
			open = open[:len(open)-1]
		}
		path[i], dates[i] = h.Text, observed(h.Text)
		if len(open) > 0 {
			above := open[len(open)-1]
			// Where the path is too long, the last heading says the most.
			if whole := path[above] + separator + h.Text; len(whole) <= maxSection {
				path[i] = whole
			}
			if dates[i].IsZero() {
				dates[i] = dates[above]
			}
		}
		open = append(open, i)
	}
	return path, dates
}

// observed is the date that a line is marked with: one that says when it was
// seen, not what it says ("expires on 2026-05-01" has none). A date without its
// day says too little. What is longer than a line ever is, is not searched: a
// stamp costs as many comparisons as there are words before it.
func observed(line string) time.Time {
	line = line[:min(len(line), maxDated)]
	tokens := memory.Scan(line)
	stamps := memory.Stamps(line, tokens)
	for i, t := range tokens {
		if t.Class == memory.TokenDate && stamps[i] && len(t.Value) == len("2026-01-31") {
			if at, ok := memory.DateOf(t); ok {
				return at
			}
		}
	}
	return time.Time{}
}
