package safeguard

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Words returns the words by which a text says that a protection was lowered or that a
// source of trust changed, empty for other texts. tokens are those of text.
func Words(text string, tokens []memory.Token) string {
	var room [longest]class
	start, timed := 0, slices.ContainsFunc(tokens, func(t memory.Token) bool { return t.Class == memory.TokenDate || dating[t.Value] })
	for i := 1; i <= len(tokens); i++ {
		if i < len(tokens) && i-start < longest && tokens[i].Sep != '.' && tokens[i].Sep != '\n' {
			continue
		}
		s := sentence{text: text, tokens: tokens[start:i], is: room[:0], timed: timed}
		if w := s.exposes(); w != "" {
			return w
		}
		start = i
	}
	return ""
}

// longest is how many words are read as one sentence: a stranger's text without a full stop
// must not cost the square of its length.
const longest = 120

// sentence is the words of one sentence with their classes.
type sentence struct {
	text   string
	tokens []memory.Token
	is     []class
	all    class
	shut   bool // something open was closed
	timed  bool // the text says when; what does not is never promoted
	wide   bool // clauses end at reasons and commas only
}

func (s *sentence) exposes() string {
	s.classify()
	s.settings()
	s.close()
	for _, of := range s.is {
		s.all |= of
	}
	for i := range pairs {
		if w := s.meets(&pairs[i]); w != "" {
			return w
		}
	}
	if w := s.changed(); w != "" {
		return w
	}
	if w := s.piped(); w != "" {
		return w
	}
	if w := s.succeeded(); w != "" {
		return w
	}
	if !s.timed {
		return ""
	}
	return s.careless()
}

// meets returns the two words of a pair that meet.
func (s *sentence) meets(p *pair) string {
	if s.all&p.a == 0 || p.b != 0 && s.all&p.b == 0 || p.also != 0 && s.all&p.also == 0 {
		return ""
	}
	for i, of := range s.is {
		if of&p.a == 0 {
			continue
		}
		if p.b == 0 {
			return s.tokens[i].Value
		}
		for j, other := range s.is {
			if i == j && p.b&outside == 0 || other&p.b == 0 || p.near > 0 && !s.near(i, j, p.near) {
				continue
			}
			if p.unless != 0 && (s.excused(i, p.unless, excuse) || s.excused(j, p.unless, excuse)) {
				continue
			}
			return s.tokens[i].Value + " " + s.tokens[j].Value
		}
	}
	return ""
}

// unexcused returns the first word that is about security itself, in a sentence that says
// since when, and that neither the safe direction nor the news of any program (a measure, a
// fault, a fix) stands beside. How a protection is lowered has more words than any list; how
// one is raised or looked after has few.
func (s *sentence) unexcused() string {
	if s.all&dated == 0 {
		return ""
	}
	s.wide = true
	aside := false
	for i, of := range s.is {
		// Between brackets stands an aside, and a file name is where it stands, not what it
		// is about.
		if t := &s.tokens[i]; t.Sep == '(' {
			aside = true
		} else if i > 0 && strings.Contains(s.text[s.tokens[i-1].End:t.Start], ")") {
			aside = false
		}
		if aside {
			continue
		}
		if of&(core|guard|secret|strong|identity|weak|flaw) == 0 || of&(everyday|hard) != 0 || strings.Contains(s.tokens[i].Value, ".") {
			continue
		}
		if !s.excused(i, hard|neutral|denies, len(s.is)) {
			return s.tokens[i].Value
		}
	}
	return ""
}

// near reports two words of one part of the sentence with at most n-1 words between them. A
// whole parenthesis may stand between them.
func (s *sentence) near(i, j, n int) bool {
	i, j = min(i, j), max(i, j)
	if j-i > n {
		return false
	}
	for k := i + 1; k < j; k++ {
		if w := s.tokens[k].Value; w == "because" || w == "weil" {
			return false // what stopped and why are two things
		}
	}
	open := 0
	for _, c := range []byte(s.text[s.tokens[i].End:s.tokens[j].Start]) {
		switch c {
		case ';':
			return false
		case '(':
			open++
		case ')':
			open--
		}
	}
	return open <= 0
}

// excuse is how far from one of the words a word of the safe direction excuses it.
const excuse = 7

// excused reports a word of the classes near i, in the clause of i.
func (s *sentence) excused(i int, of class, reach int) bool {
	for j := i; j >= 0 && j >= i-reach; j-- {
		if j != i && s.is[j]&of != 0 {
			return true
		}
		if s.clause(j) {
			break
		}
	}
	for j := i + 1; j < len(s.is) && j <= i+reach && !s.clause(j); j++ {
		if s.is[j]&of != 0 {
			return true
		}
	}
	return false
}

// clause reports a word that begins another clause: behind a comma, or one that gives a
// reason. "As of" and "since" before a date give none.
func (s *sentence) clause(i int) bool {
	switch t := &s.tokens[i]; t.Value {
	case "because", "weil", "thanks", "damit", "so", "which", "until":
		return true
	case "and", "und":
		return !s.wide
	case "since", "as":
		return i+1 < len(s.tokens) && s.tokens[i+1].Class == memory.TokenWord && s.tokens[i+1].Value != "of"
	default:
		return t.Sep == ',' && (i == 0 || s.text[s.tokens[i-1].End] != '=') || t.Sep == ';' && !s.wide || t.Sep == ':' && !s.wide && t.Class == memory.TokenWord && !t.Code
	}
}

// closing is how far behind a hole the word stands that closes it.
const closing = 6

// close takes away what a removal does to a hole: "verify=False was deleted", "unsigned
// images are rejected". Neither the hole nor the removal says then that something is open.
func (s *sentence) close() {
	for i, of := range s.is {
		if of&(hole|weak|gap) == 0 {
			continue
		}
		for j := i + 1; j <= i+closing && j < len(s.is) && !s.clause(j); j++ {
			if (s.is[j]&(off|hard) != 0 || supplants[s.tokens[j].Value] && s.value(i) != "by" && s.value(i) != "durch") && s.is[j]&(hole|gap|denies) == 0 {
				s.is[i] &^= hole | weak | gap | guard | secret | power | public | access | off
				s.is[j] &^= off
				s.is[j] |= hard
				s.shut = true
				break
			}
		}
	}
}

// supplants are what happens to a hole in whose place something else is.
var supplants = memory.WordSet(`replaced ersetzt abgelöst superseded abolished`)

// changed returns the words by which somebody or something is another one now: a host key,
// a recovery address, an account that is paid. Such a sentence is sensitive without an
// address, unless it is of the safe direction.
func (s *sentence) changed() string {
	if s.all&identity == 0 || s.all&hard != 0 {
		return ""
	}
	for i, of := range s.is {
		if of&identity == 0 {
			continue
		}
		for j, w := range s.tokens {
			if changes[w.Value] && s.near(i, j, 8) {
				return s.tokens[i].Value + " " + w.Value
			}
		}
	}
	return ""
}

var changes = memory.WordSet(`changed changes moved moves now replaced switched instead redirected points point handed transferred under lost goes paid geändert ersetzt umgestellt übertragen jetzt lautet`)
