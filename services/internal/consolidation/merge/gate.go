package merge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// judged is a text after the gate.
type judged struct {
	text     string
	units    int       // sentences that the text had
	findings []Finding // one for each sentence that failed
}

// gate reads a text sentence by sentence and leaves out what the sources do not bear
// out. Under [GateWarn] only orders to a reader are left out; the rest is reported.
func (c *corpus) gate(text, mode string) judged {
	var j judged
	var stay []unit
	for _, u := range split(text) {
		c.analyse(&u)
		if u.frame {
			continue // Merge writes its own
		}
		j.units++
		f := c.check(&u)
		if f != nil {
			j.findings = append(j.findings, *f)
		}
		if f == nil || mode == GateWarn && f.Rule != RulePoison {
			stay = append(stay, u)
		}
	}
	j.text = compose(stay)
	return j
}

// check returns what is wrong with a sentence, or nil.
func (c *corpus) check(u *unit) *Finding {
	found := func(rule, format string, args ...any) *Finding {
		return &Finding{Sentence: u.text, Rule: rule, Detail: fmt.Sprintf(format, args...)}
	}
	if u.poison != "" {
		return found(RulePoison, "%s", u.poison)
	}
	// What a source says in the same words needs no proof; the checks below are for
	// sentences that somebody wrote anew.
	if c.verbatim(u) {
		return nil
	}
	if why := c.broken(u); why != "" {
		return found(RuleMarkup, "%s", why)
	}
	if u.block {
		return found(RuleUnsupported, "no source has this block")
	}
	if f := c.foreign(u, found); f != nil {
		return f
	}
	if u.heading() {
		return nil
	}
	bears := c.support(u)
	if len(bears) == 0 {
		return found(RuleUnsupported, "no source says so")
	}
	if f := c.bound(u, bears, found); f != nil {
		return f
	}
	return c.turned(u, bears, found)
}

type finder func(rule, format string, args ...any) *Finding

// verbatim reports whether a source has the sentence in the same words.
func (c *corpus) verbatim(u *unit) bool {
	return slices.ContainsFunc(c.units, func(s unit) bool {
		return s.poison == "" && !s.frame && s.read.Normal == u.read.Normal && stampsOf(s.read) == stampsOf(u.read)
	})
}

// broken returns what in a sentence would change the reading of the text around it.
func (c *corpus) broken(u *unit) string {
	switch {
	case strings.Contains(u.text, "<!--") && !strings.Contains(c.folded, "<!--"):
		return "a comment of HTML"
	case !u.block && strings.Contains(u.text, fence):
		return "a fence without its end"
	case !u.block && strings.Count(u.text, "`")%2 == 1:
		return "a span of code without its end"
	case strings.ContainsFunc(u.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "a control character"
	}
	return ""
}

// foreign finds what no source has: a number, a name, or a word that is neither in the
// sources nor ordinary. A word that nobody listed may be a name, because names of tools
// and people are written in small letters too.
func (c *corpus) foreign(u *unit, found finder) *Finding {
	brought, words := 0, 0
	for i, t := range u.read.Tokens {
		switch t.Class {
		case memory.TokenArrow:
		case memory.TokenNumber, memory.TokenDate:
			if !c.values[t.Value] {
				return found(RuleNumber, "%s", t.Value)
			}
		case memory.TokenIdent, memory.TokenURL:
			if strings.ContainsFunc(t.Value, isAlnum) && !c.names[t.Value] && !c.written(u.read.Clean[t.Start:t.End]) {
				return found(RuleName, "%s", t.Value)
			}
		default:
			id := c.words.ID(t.Value, t.Code || t.Quote != 0, u.read.Doc.German)
			if !weighs(u.read.Doc, id) {
				continue // a word without meaning of its own
			}
			words++
			if c.knows(t.Value, id) || c.achieved && reached[t.Value] {
				continue
			}
			brought++
			acronym := len(t.Value) > 1 && shout(u.read.Clean[t.Start:t.End])
			// Every German noun begins with a capital letter.
			if t.Upper && (acronym || i > 0 && t.Sep == 0 && !u.read.Doc.German) || !ordinary(t.Value, u.read.Doc.German) {
				return found(RuleName, "%s", u.read.Clean[t.Start:t.End])
			}
		}
	}
	if words > 0 && brought*2 > words {
		return found(RuleUnsupported, "most of its words are in no source")
	}
	return nil
}

// reached are the words by which a goal becomes something achieved (S1.8): the prompt asks
// for them, whatever words the sources have.
var reached = map[string]bool{"achieved": true, "accomplished": true, "completed": true, "finished": true, "erreicht": true, "geschafft": true, "abgeschlossen": true}

// weighs reports whether a word is among the terms of a text, which stop words are not.
func weighs(d *lexical.Doc, id uint64) bool {
	_, ok := slices.BinarySearchFunc(d.Terms, id, func(t lexical.Term, id uint64) int {
		switch {
		case t.ID < id:
			return -1
		case t.ID > id:
			return 1
		}
		return 0
	})
	return ok
}

// knows reports whether the sources have a word, in any of its forms.
func (c *corpus) knows(word string, id uint64) bool {
	if c.terms[id] || c.names[word] {
		return true
	}
	for i := range c.units {
		if u := &c.units[i]; u.poison == "" && (u.details().Names(word) || u.details().Names(memory.Stem(word))) {
			return true
		}
	}
	return false
}

// written reports whether the sources have a name letter by letter, with no letter or
// digit before or after it.
func (c *corpus) written(name string) bool {
	name = strings.ToLower(name)
	for from := 0; name != ""; {
		i := strings.Index(c.folded[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !alnum(c.folded[i-1])) && (end == len(c.folded) || !alnum(c.folded[end])) {
			return true
		}
		from = i + 1
	}
	return false
}

// shout reports whether a word is written in capital letters only.
func shout(w string) bool { return w == strings.ToUpper(w) && w != strings.ToLower(w) }

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func alnum(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b >= 0x80 || b == '_' }

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
		clause := clauseOf(u.read.Tokens, i)
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

// clauseOf returns the tokens around token i between two marks of punctuation.
func clauseOf(tokens []memory.Token, i int) []memory.Token {
	from, to := i, i+1
	for from > 0 && (tokens[from].Sep == 0 || tokens[from].Sep == '(') {
		from--
	}
	for to < len(tokens) && (tokens[to].Sep == 0 || tokens[to].Sep == '(') {
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

// turned reports a negation, an obligation, a direction or a role that differs from what
// the bearers say.
func (c *corpus) turned(u *unit, bears []*unit, found finder) *Finding {
	mine := u.details()
	negations, duties := 0, map[string]bool{}
	for _, b := range bears {
		negations += len(b.details().Negations())
		for _, d := range b.details().Duties() {
			duties[d] = true
		}
	}
	for _, d := range mine.Duties() {
		if !duties[d] {
			return found(RuleTurned, "%q that no source says here", d)
		}
	}
	if n := len(mine.Negations()); n > negations {
		return found(RuleTurned, "a negation that no source has here")
	}
	for _, word := range mine.Negations() {
		denied := slices.ContainsFunc(bears, func(b *unit) bool { return b.details().Denies(word) })
		if !denied && word != "" && slices.ContainsFunc(bears, func(b *unit) bool { return b.details().Names(word) }) {
			return found(RuleTurned, "denies %q, which the source does not", word)
		}
	}
	for _, b := range bears {
		if f := c.turnedFrom(u, b, bears, found); f != nil {
			return f
		}
	}
	return nil
}

// turnedFrom compares a sentence with one of its bearers.
func (c *corpus) turnedFrom(u, b *unit, bears []*unit, found finder) *Finding {
	mine, theirs := u.details(), b.details()
	for _, word := range theirs.Negations() {
		if word == "" || mine.Denies(word) || !mine.Names(word) {
			continue
		}
		// Another bearer may say of something else that it is so.
		if !slices.ContainsFunc(bears, func(x *unit) bool { return x.details().Names(word) && !x.details().Denies(word) }) {
			return found(RuleTurned, "states %q, which the source denies", word)
		}
	}
	s := lexical.Compare(u.read.Doc, b.read.Doc)
	if !aboutTheSame(u.read, b.read, s) {
		return nil
	}
	// A sentence that takes nearly all of a bearer takes its obligation too.
	if s.Backward >= aboutShare && !c.achieved {
		for _, d := range theirs.Duties() {
			if !slices.Contains(mine.Duties(), d) {
				return found(RuleTurned, "leaves out %q", d)
			}
		}
		if n := len(mine.Negations()); n < len(theirs.Negations()) && s.Backward >= saidShare {
			return found(RuleTurned, "leaves out a negation")
		}
	}
	plain, other := words(mine), words(theirs)
	if cmp := memory.Compare(plain, other); cmp.Relation == memory.RelationConflict {
		return found(RuleTurned, "%s", strings.Join(cmp.Differences, "; "))
	}
	if wording.Opposed(u.read, b.read) || s.Similarity > lexical.PointCluster && len(bears) == 1 && lexical.Substituted(u.read.Doc, b.read.Doc) {
		return found(RuleTurned, "says the opposite of, or something else than %q", b.text)
	}
	if subject.Relate(u.read.Subject, b.read.Subject, u.read.Doc, b.read.Doc) == subject.Different && len(bears) == 1 {
		return found(RuleMoved, "says of another thing what the source says")
	}
	return nil
}

// words returns specifics without the details that the gate has looked up already, so
// that a comparison reads negations, obligations, directions and roles alone.
func words(s *memory.Specifics) *memory.Specifics {
	plain := *s
	plain.Values, plain.Idents, plain.URLs, plain.Quotes = nil, nil, nil, nil
	return &plain
}
