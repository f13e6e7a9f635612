package memoryfile

import (
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxDated bounds the bytes of a line that are searched for a date.
const maxDated = 2 << 10

// name sets the section and the date of every entry, once all headings are known.
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

// titled reports whether the first heading names the file and no section: it is of the
// first level, no entry is before it, and either it reads like a file's name or deeper
// headings follow.
func (p *parser) titled() bool {
	h := p.file.Headings
	if len(h) == 0 || h[0].Level != 1 || len(p.under) > 0 && p.under[0] == 0 {
		return false
	}
	text := strings.ToLower(h[0].Text)
	return strings.HasPrefix(text, "memory") || strings.HasSuffix(text, ".md") || len(h) > 1 && h[1].Level > 1
}

// paths returns the section that each heading opens, and the date at the begin of the
// heading or of one above, as in a log.
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

// observed returns the date that marks when a line was observed, not a date in its
// statement ("expires on 2026-05-01" has none). A date without its day is too vague.
// Only the begin of a long line is searched, because a stamp costs as many comparisons
// as there are words before it.
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
