package merge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
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
		if u.frame || u.attributes && !c.verbatim(&u) {
			continue // the description says what a text was made of
		}
		j.units++
		c.unnumbered(&u)
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

// unnumbered strips the number of an entry in a list: it is none of the sources', and a
// text must not have a number that they do not have.
func (c *corpus) unnumbered(u *unit) {
	if strings.ContainsAny(u.marker, "0123456789") {
		u.marker = "- "
	}
	if rest, ok := cutNumber(u.text); ok && !strings.Contains(c.folded, strings.ToLower(u.text)) {
		u.text = rest
		c.analyse(u)
	}
}

// cutNumber strips "2)" or "2." from the beginning of a sentence.
func cutNumber(s string) (string, bool) {
	rest := strings.TrimLeft(s, "0123456789")
	if len(rest) == len(s) || len(rest) < 2 || rest[0] != ')' && rest[0] != '.' || rest[1] != ' ' {
		return s, false
	}
	return strings.TrimSpace(rest[1:]), true
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
var reached = memory.WordSet(`achieved accomplished completed finished erreicht geschafft abgeschlossen`)

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
	if c.terms[id] || c.names[word] || !strings.ContainsFunc(word, isAlnum) {
		return true
	}
	if parts := strings.Split(word, "-"); len(parts) > 1 {
		return !slices.ContainsFunc(parts, func(p string) bool { return !c.knows(p, c.words.ID(p, false, c.german)) })
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
