package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	maxTitle       = 100 // runes
	maxDescription = 600 // runes: a description is read at a glance
	shownTitle     = 60  // runes of a source's title in an attribution
	maxTag         = 60  // runes
)

// label sets what does not depend on who wrote the text.
func (c *corpus) label(m *Merged) {
	for i := range c.sources {
		s := &c.sources[i]
		m.Importance = max(m.Importance, s.Importance)
		m.Outcome = s.Outcome
		for _, tag := range s.Tags {
			// Tags of the engine say what a memory is, not what it is about.
			if tag != "consolidated" && tag != "superseded" {
				m.Tags = append(m.Tags, tag)
			}
		}
	}
	slices.Sort(m.Tags)
	m.Tags = slices.Compact(m.Tags)
	m.Tags = m.Tags[:min(len(m.Tags), memory.MaxTags)]
	m.Confidence = Confidence(c.sources)
	m.Title = c.title()
	m.Description = c.attribution()
}

// titled takes over title, tags and attribution of a model's answer as far as the
// sources bear them out.
func (c *corpus) titled(m *Merged, a Answer) {
	title := strings.Trim(a.Title, " .*_#\"")
	if u := c.analysed(title); size(title) <= maxTitle && c.borneOut(u) {
		m.Title = title
	}
	for _, tag := range a.Tags {
		if len(m.Tags) < memory.MaxTags && size(tag) <= maxTag && !slices.Contains(m.Tags, tag) && c.borneOut(c.analysed(tag)) &&
			tag != "consolidated" && tag != "superseded" {
			m.Tags = append(m.Tags, tag)
		}
	}
	slices.Sort(m.Tags)
	if text := c.gate(a.Attribution, GateEnforce).text; text != "" && size(m.Description)+size(text) < maxDescription {
		m.Description += " " + text
	}
}

func (c *corpus) analysed(text string) *unit {
	u := unit{text: text}
	c.analyse(&u)
	return &u
}

// borneOut reports whether a phrase has only words of the sources, or ordinary ones. A
// phrase that denies, obliges or measures is read like any sentence.
func (c *corpus) borneOut(u *unit) bool {
	if u.text == "" || u.poison != "" || c.broken(u) != "" || strings.Contains(u.text, "\n") {
		return false
	}
	if d := u.details(); len(d.Values)+len(d.Negations())+len(d.Duties()) > 0 {
		return c.check(u) == nil
	}
	return c.foreign(u, found) == nil
}

// found makes a finding without a sentence.
func found(rule, format string, args ...any) *Finding {
	return &Finding{Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// title returns the title of the source that is most like the others; empty where no
// source has one, as facts have none.
func (c *corpus) title() string {
	best, bestLikeness := "", -1.0
	for i := range c.sources {
		title := strings.TrimSuffix(oneLine(c.sources[i].Title), titleMark)
		if title == "" || len(poison.Scan(title)) > 0 {
			continue
		}
		likeness := 0.0
		u := c.analysed(title)
		for j := range c.units {
			if s := &c.units[j]; s.source != i && s.poison == "" {
				likeness += share(u, s)
			}
		}
		if likeness > bestLikeness {
			best, bestLikeness = title, likeness
		}
	}
	if best == "" || slices.IndexFunc(c.sources, func(s Source) bool { return oneLine(s.Title) != best }) < 0 {
		return clip(best, maxTitle)
	}
	return strings.TrimSuffix(clip(best, maxTitle), titleMark) + titleMark
}

// titleMark follows the title of one source when it stands for others too.
const titleMark = " (consolidated)"

// share returns how much of a's meaning b has, 0–1.
func share(a, b *unit) float64 {
	if a.read.Doc.Total == 0 {
		return 0
	}
	sum := float32(0)
	for _, t := range a.read.Doc.Terms {
		if weighs(b.read.Doc, t.ID) {
			sum += t.Weight
		}
	}
	return float64(sum / a.read.Doc.Total)
}

// attribution says how many memories the text stands for, from when they are, and what
// they were called or began with (S4.51, S4.90).
func (c *corpus) attribution() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Consolidated from %d memories", len(c.sources))
	first, last := when(&c.sources[0]), when(&c.sources[len(c.sources)-1])
	const day = "2006-01-02"
	switch {
	case first.IsZero():
	case first.Format(day) == last.Format(day):
		b.WriteString(" of " + first.Format(day))
	default:
		b.WriteString(" from " + first.Format(day) + " to " + last.Format(day))
	}
	var names []string
	for i := range c.sources {
		name := oneLine(c.sources[i].Title)
		if name == "" {
			for j := range c.units {
				if u := &c.units[j]; u.source == i && u.states() {
					name = oneLine(u.bare())
					break
				}
			}
		}
		if name == "" || len(poison.Scan(name)) > 0 {
			continue
		}
		if short := clip(name, shownTitle); short != name {
			name = short + " …"
		}
		if name = "“" + name + "”"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if size(b.String())+size(name) > maxDescription-40 {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(name)
	}
	b.WriteByte('.')
	return b.String()
}
