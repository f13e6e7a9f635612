package trust

import "github.com/winnowhq/winnow/services/internal/memory"

// Ancestor is a text from which another one was derived, such as the turn that
// an extraction cites.
type Ancestor struct {
	Text   string
	Origin memory.Origin
}

// Authority returns the origin that a derived text may claim: the least origin
// of the ancestors whose words it carries. Evidence that is merely attached
// does not lower it. A text that carries no ancestor's words is invented: at
// most an agent's statement, and no more than the least origin that it cites;
// unknown where it cites nothing. No result is higher than the highest cited
// origin.
func Authority(text string, ancestors []Ancestor, similar Similarity, loose float64) memory.Origin {
	all := make([]memory.Origin, 0, len(ancestors)+1)
	var carried []memory.Origin
	for _, a := range ancestors {
		all = append(all, a.Origin)
		if Carries(text, a.Text, similar, loose) {
			carried = append(carried, a.Origin)
		}
	}
	switch {
	case len(carried) > 0:
		return memory.Least(carried...)
	case len(all) > 0:
		return memory.Least(append(all, memory.OriginAgent)...)
	}
	return memory.OriginUnknown
}

// Carries reports whether a text has words of another: one of its specifics, or
// a similar passage. similar may be nil.
func Carries(text, ancestor string, similar Similarity, loose float64) bool {
	o := newOutside(similar, loose)
	o.add(ancestor, 1)
	cause, _ := o.carried(text)
	return cause != ""
}

// Authority is [Authority] within the session. A text that carries external
// words of the session is external whatever it cites, because a steered model
// cites what serves it. Only a person's turn among the ancestors that says the
// same lifts this: then the words are the person's.
func (t *Tracker) Authority(text string, ancestors []Ancestor) memory.Origin {
	origin := Authority(text, ancestors, t.o.Similar, t.o.Loose)
	origin, _ = memory.Clamp(origin, t.o.Highest)
	if origin <= memory.OriginExternal {
		return origin
	}
	if cause, _ := t.outside.carried(text); cause != "" && !t.vouched(text, ancestors) {
		return memory.OriginExternal
	}
	return origin
}

// vouching is the least share of the external words' similarity that a person's
// words must reach.
const vouching = 0.8

// vouched reports whether persons' turns contain every external word that a
// text has.
func (t *Tracker) vouched(text string, ancestors []Ancestor) bool {
	own := newOutside(t.o.Similar, t.o.Loose)
	for _, a := range ancestors {
		if a.Origin >= memory.OriginFirstParty {
			own.add(a.Text, 1)
		}
	}
	if t.outside.full.set || own.full.set {
		return false
	}
	for _, name := range specifics(text, false) {
		_, foreign := t.outside.named[t.outside.hash(name)]
		_, said := own.named[own.hash(name)]
		if foreign && !said {
			return false
		}
	}
	for _, part := range passages(text) {
		if heard := t.outside.nearest(part); heard > t.o.Loose && own.nearest(part) < vouching*heard {
			return false
		}
	}
	return true
}

// nearest returns the highest similarity of any passage to a text.
func (o *outside) nearest(text string) float64 {
	best := 0.0
	if o.similar == nil {
		return best
	}
	for _, n := range o.candidates(text) {
		best = max(best, o.similar(text, o.passages[n].text))
	}
	return best
}
