package merge

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// maxBearers is how many sentences of the sources one sentence may be made of.
	maxBearers = 4
	// bearsShare is the share of a sentence's meaning that its bearers must have.
	bearsShare = 0.60
	// addsShare is the least share that a further bearer has to add.
	addsShare = 0.10
)

// support returns the sentences of the sources that bear a sentence out, the one that
// has most of its words first, or none where they leave too much of it open.
func (c *corpus) support(u *unit) []*unit {
	var out []*unit
	open := slices.Clone(u.read.Doc.Terms)
	total := u.read.Doc.Total
	left := total
	var borne []uint64
	if total == 0 {
		return nil
	}
	for len(out) < maxBearers {
		var best *unit
		bestShare := float32(0)
		for i := range c.units {
			s := &c.units[i]
			if s.poison != "" || s.frame {
				continue
			}
			share := float32(0)
			for _, t := range open {
				if weighs(s.read.Doc, t.ID) {
					share += t.Weight
				}
			}
			// A further bearer speaks of what the first one speaks of. Otherwise any
			// words of the sources could be put together to a sentence.
			if len(out) > 0 && !slices.ContainsFunc(borne, func(id uint64) bool { return weighs(s.read.Doc, id) }) {
				continue
			}
			// Of two that have as much the shorter one is nearer.
			if share > bestShare || share == bestShare && best != nil && share > 0 && s.read.Doc.Total < best.read.Doc.Total {
				best, bestShare = s, share
			}
		}
		if best == nil || len(out) > 0 && bestShare < addsShare*total {
			break
		}
		out = append(out, best)
		left -= bestShare
		open = slices.DeleteFunc(open, func(t lexical.Term) bool {
			if weighs(best.read.Doc, t.ID) {
				borne = append(borne, t.ID)
				return true
			}
			return false
		})
	}
	if (total-left)/total < bearsShare {
		return nil
	}
	return out
}

// bound reports a detail that stands beside words with which no source has it: the
// timeout of one service with the number of another.
func (c *corpus) bound(u *unit, bears []*unit, found finder) *Finding {
	details := u.details()
	for _, list := range [][]memory.Detail{details.Values, details.URLs, details.Quotes} {
		for _, d := range list {
			if !c.measured(d) {
				return found(RuleNumber, "%s", strings.TrimSpace(d.Text+" "+d.Unit))
			}
		}
	}
	for i, t := range u.read.Tokens {
		if t.Class != memory.TokenNumber && t.Class != memory.TokenURL && t.Class != memory.TokenDate {
			continue
		}
		clause := clauseOf(u.read, i)
		if !slices.ContainsFunc(c.units, func(s unit) bool { return c.holds(&s, u, t, clause) }) {
			return found(RuleMoved, "%s", t.Value)
		}
	}
	for _, d := range details.Idents {
		if !slices.ContainsFunc(bears, func(s *unit) bool {
			return s.details().Names(d.Text) || strings.Contains(strings.ToLower(s.text), d.Text)
		}) &&
			!c.together(bears, d.Text) {
			return found(RuleMoved, "%s", d.Text)
		}
	}
	return nil
}

// measured reports whether a source has a number with the same unit.
func (c *corpus) measured(d memory.Detail) bool {
	key := valueKey(d)
	for i := range c.units {
		s := &c.units[i]
		if s.poison != "" {
			continue
		}
		if slices.Contains(keysOf(s.details()), key) || !memory.IsMeasure(d.Unit) && c.values[d.Text] {
			return true
		}
	}
	return d.Unit == "date" && c.values[d.Text] || c.written(d.Text) && !memory.IsMeasure(d.Unit) || len(strings.Fields(d.Text)) > 1 && strings.Contains(c.folded, d.Text)
}

// clauseOf returns the tokens around token i between two marks of punctuation. A bracket
// ends no clause, nor does the sign between a setting and its value.
func clauseOf(text *wording.Text, i int) []memory.Token {
	tokens := text.Tokens
	joined := func(n int) bool {
		return tokens[n].Sep == 0 || tokens[n].Sep == '(' || text.Clean[tokens[n-1].End:tokens[n].Start] == "="
	}
	from, to := i, i+1
	for from > 0 && joined(from) {
		from--
	}
	for to < len(tokens) && joined(to) {
		to++
	}
	return tokens[from:to]
}

// holds reports whether the sentence s has the detail t, and s with the title and the
// neighbours in its source all words of t's clause that are not ordinary.
func (c *corpus) holds(s, u *unit, t memory.Token, clause []memory.Token) bool {
	if s.poison != "" || !slices.ContainsFunc(s.read.Tokens, func(x memory.Token) bool { return x.Value == t.Value && x.Class == t.Class }) {
		return false
	}
	for _, w := range clause {
		if w.Class == memory.TokenArrow || w.Class == memory.TokenNumber || w.Class == memory.TokenDate || w.Value == t.Value {
			continue
		}
		id := c.words.ID(w.Value, w.Class == memory.TokenIdent || w.Code || w.Quote != 0, u.read.Doc.German)
		if w.Class == memory.TokenWord && (!weighs(u.read.Doc, id) || ordinary(w.Value, u.read.Doc.German)) {
			continue
		}
		if !c.near(s, w, id) {
			return false
		}
	}
	return true
}

// near reports whether a word stands in a sentence, in the two before it in its source,
// or in the source's title.
func (c *corpus) near(s *unit, w memory.Token, id uint64) bool {
	has := func(x *unit) bool {
		return x.poison == "" && (weighs(x.read.Doc, id) || x.details().Names(w.Value) || w.Class == memory.TokenWord && x.details().Names(memory.Stem(w.Value)))
	}
	for i := s.order; i >= 0 && i >= s.order-2 && c.units[i].source == s.source; i-- {
		if has(&c.units[i]) {
			return true
		}
	}
	return slices.ContainsFunc(c.labels, func(l unit) bool { return l.source == s.source && has(&l) })
}

// together reports whether the source of a bearer names it elsewhere.
func (c *corpus) together(bears []*unit, name string) bool {
	in := func(list []unit) bool {
		return slices.ContainsFunc(list, func(s unit) bool {
			return s.poison == "" && slices.ContainsFunc(bears, func(b *unit) bool { return b.source == s.source }) &&
				(s.details().Names(name) || strings.Contains(strings.ToLower(s.text), name))
		})
	}
	return in(c.units) || in(c.labels)
}
