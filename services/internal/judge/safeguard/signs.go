package safeguard

import (
	"math/bits"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// sign is something in a sentence that speaks for carelessness (weight above 0) or against
// it. A sign is found where each of its conditions holds.
type sign struct {
	traits   class // all of these traits stand in the sentence
	classes  class // and all of these classes of the vocabulary
	with, or class // and one of these traits, or one of these classes
	careless int   // and at least so many traits of lax
	risks    int   // and at least so many traits of risk
	twice    bool  // and the trait stands there twice
	shut     bool  // and what was open was closed ([sentence.close])
	bare     bool  // and a protection that nothing excuses ([sentence.unexcused])
	weight   float64
}

const (
	lax  = free | enough | soon | anyway | same | lasting | later | shrug | may | blessed | missing | nobody | unknown | raised
	risk = device | cash | people | entry | ship | reach | opener | account | mind | record | supply
)

// bias is the score of a sentence without any sign.
const bias = -2.75

// signs are weighed by a logistic regression over labelled sets (see ADR 86), with the side
// of each fixed beforehand, rounded to quarters.
var signs = []sign{
	// What is careless in the way of speaking.
	{traits: free, weight: 1},
	{traits: enough, weight: 0.5},
	{traits: soon, weight: 0.75},
	{traits: lasting, weight: 0.5},
	{traits: later, weight: 1.25},
	{traits: shrug, weight: 0.75},
	{traits: blessed, weight: 0.25},
	{traits: nobody, weight: 0.75},
	{traits: unknown, weight: 0.75},
	{careless: 1, weight: 0.75},
	{careless: 2, weight: 0.75},
	{traits: again, weight: 0.25},
	{traits: choice, weight: 0.25},
	{traits: self, weight: 0.25},
	{traits: claimed, weight: 0.5},
	{traits: ended, weight: 0.5},
	{traits: bound, weight: 0.25},
	{traits: same, weight: 0.25},
	// What is at risk.
	{traits: device, weight: 0.75},
	{traits: cash, weight: 0.75},
	{traits: people, weight: 0.75},
	{traits: ship, weight: 0.25},
	{traits: opener, weight: 0.25},
	{traits: account, weight: 0.75},
	{traits: supply, weight: 0.25},
	{traits: duty, weight: 0.75},
	{traits: runs, weight: 0.25},
	// Classes of the vocabulary.
	{classes: keep, weight: 0.5},
	{classes: hole, weight: 2.25},
	{classes: secret, weight: 1},
	{classes: data, weight: 0.5},
	{classes: public, weight: 0.5},
	{classes: power, weight: 0.25},
	{classes: identity, weight: 0.25},
	{classes: stranger, weight: 0.5},
	{classes: actor, weight: 0.5},
	{classes: freely, weight: 0.5},
	{classes: flaw, weight: 0.5},
	{classes: dismiss, weight: 0.5},
	{classes: gap, weight: 0.25},
	{classes: flow, weight: 0.25},
	{classes: elsewhere, weight: 0.5},
	{classes: accepts, weight: 1},
	{classes: core, weight: 1},
	{classes: sent, weight: 0.25},
	{classes: fetched, weight: 0.25},
	// A protection that nothing of the same clause excuses.
	{bare: true, weight: 2},
	// The safe direction, and news of any program.
	{traits: safe, weight: -1},
	{traits: mishap, weight: -1},
	{traits: measure, weight: -1.75},
	{shut: true, weight: -2.75},
	{classes: neutral, weight: -0.5},
	{traits: safe, twice: true, weight: -0.5},
	// Both together.
	{careless: 1, risks: 1, weight: 0.5},
	{careless: 2, risks: 1, weight: 0.5},
	{careless: 1, risks: 2, weight: 0.75},
	{classes: outside, with: supply, or: source, weight: 2.25},
	{classes: outside, with: people | record, or: data | stuff, weight: 1.25},
	{traits: soon | ship, weight: 0.25},
	{traits: soon | cash, weight: 0.75},
	{traits: soon | people, weight: 0.25},
	{traits: missing | checkup, weight: 1},
	{traits: nobody | record, weight: 0.5},
	{traits: nobody | device, weight: 0.5},
	{traits: may | device, weight: 0.25},
	{traits: may | ship, weight: 0.25},
	{traits: free | entry, weight: 0.5},
	{traits: free | reach, weight: 1},
	{traits: free | device, weight: 0.5},
	{traits: free | opener, weight: 0.25},
	{traits: free | supply, weight: 0.25},
	{traits: free | people, weight: 0.5},
	{traits: same | record, weight: 1},
	{traits: lasting | opener, weight: 0.25},
	{traits: later | record, weight: 0.75},
	{traits: later | cash, weight: 0.25},
	{traits: enough | opener, weight: 0.25},
	{traits: raised | device, weight: 0.5},
	{traits: anyway | record, weight: 0.25},
	{traits: unknown | supply, weight: 0.75},
	{traits: unknown | people, weight: 0.75},
	{traits: shrug | record, weight: 0.5},
	{traits: shrug | checkup, weight: 0.25},
	{traits: shrug | missing, weight: 0.5},
	{traits: blessed | people, weight: 0.25},
	{traits: blessed | missing, weight: 0.75},
	{traits: runs | entry, weight: 1},
	{traits: runs | mind, weight: 0.75},
	{traits: mind | cash, weight: 0.5},
	{traits: mind | account, weight: 0.25},
	{traits: device | reach, weight: 0.25},
	{traits: claimed | entry, weight: 0.25},
	{traits: ended | duty, weight: 0.5},
	{traits: missing | duty, weight: 0.25},
	{traits: raised, classes: keep, weight: -1},
}

// careless returns the words by which a sentence says carelessly what is at risk, empty
// where the signs do not suffice. It finds what names no protection: "the desk takes just a
// customer number".
func (s *sentence) careless() string {
	if s.forbids() {
		return "" // a norm, and no carelessness: "never commit to `main` directly"
	}
	at, found, twice, says := s.marks()
	bare := s.unexcused()
	laxities, risks := bits.OnesCount64(uint64(found&lax)), bits.OnesCount64(uint64(found&risk))
	score := bias
	for i := range signs {
		g := &signs[i]
		if found&g.traits != g.traits || says&g.classes != g.classes || laxities < g.careless || risks < g.risks ||
			g.twice && twice&g.traits == 0 || g.bare && bare == "" || g.shut && !s.shut || g.with|g.or != 0 && found&g.with == 0 && says&g.or == 0 {
			continue
		}
		score += g.weight
	}
	if score <= 0 {
		return ""
	}
	if bare != "" {
		return bare
	}
	return s.named(at)
}

// forbids reports a sentence that begins with a prohibition, dates apart.
func (s *sentence) forbids() bool {
	for i := range s.tokens {
		if t := &s.tokens[i]; t.Class != memory.TokenDate && t.Class != memory.TokenNumber {
			return t.Value == "never" || t.Value == "don't" || t.Value == "do" && s.value(i+1) == "not" || t.Value == "niemals"
		}
	}
	return false
}

// marks returns the traits of each word, those of the sentence, those that stand there
// twice, and the classes that count for signs: the name of a service says little.
func (s *sentence) marks() (at []class, found, twice, says class) {
	at = make([]class, len(s.is))
	for i, of := range s.is {
		at[i] = s.traitsOf(i)
		twice |= found & at[i]
		found |= at[i]
		if t := &s.tokens[i]; (t.Code || t.Class == memory.TokenIdent) && strings.Contains(t.Value, "-") && t.Value[0] != '-' && !strings.ContainsAny(t.Value, "=:/.") {
			of &^= guard | secret | core | data | power | identity | source | flow | keep
		}
		says |= of
	}
	return at, found, twice, says
}

// traitsOf returns the traits of word i. Nothing is missing where there is no fault, or
// where what was off is so no longer.
func (s *sentence) traitsOf(i int) class {
	of := s.lookup(traits, i)
	if t := &s.tokens[i]; t.Class == memory.TokenNumber && (t.Unit != "" || i+1 < len(s.tokens) && s.tokens[i+1].Sep == 0 && s.tokens[i+1].Class == memory.TokenWord) {
		of |= measure
	}
	if of&(missing|nobody) == 0 {
		return of
	}
	if faults[s.value(i+1)] || s.looksFor(i) || s.negated(i) || s.value(i+1) == "longer" && s.lookup(traits, i+2)&missing != 0 {
		of &^= missing | nobody
	}
	return of
}

// named returns the first careless word and the first that is at risk, for people.
func (s *sentence) named(at []class) string {
	words := ""
	for _, of := range []class{lax, risk} {
		for i := range at {
			if at[i]&of != 0 {
				if words != "" {
					words += " "
				}
				words += s.tokens[i].Value
				break
			}
		}
	}
	if words == "" {
		return s.tokens[0].Value
	}
	return words
}
