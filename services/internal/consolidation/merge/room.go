package merge

import "strings"

// shortSources is the length in runes, about 100 tokens, up to which sources are not
// compressed by leaving something out: a reader gains nothing from three sentences cut to
// one, and would have to look the other two up in the archive.
const shortSources = 400

// short reports whether the text must say all that its sources say. A caller that names
// a share gets that share.
func (c *corpus) short(o Options) bool { return o.MaxRatio <= 0 && c.length <= shortSources }

// between is how many runes may stand between the words of two sources: an empty line,
// the mark of a list, and a full stop that one of them lacks.
const between = 5

// room is how long a merged text may be, in runes.
func (c *corpus) room(o Options) int {
	if c.short(o) {
		return c.length + between*len(c.units)
	}
	return c.share(o)
}

// share is the part of the sources' length that a text should have.
func (c *corpus) share(o Options) int {
	ratio := o.MaxRatio
	if ratio <= 0 || ratio > 1 {
		ratio = DefaultMaxRatio
	}
	return int(ratio * float64(c.length))
}

// forgets returns what a short text leaves unsaid of its sources: the first statement of
// which it has too few words, or "".
func (c *corpus) forgets(m *Merged) string {
	whole := c.analysed(strings.TrimSpace(m.Title + "\n" + m.Text))
	for i := range c.units {
		if u := &c.units[i]; u.states() && u.read.Doc.Total > 0 && share(u, whole) < bearsShare {
			return u.bare()
		}
	}
	return ""
}
