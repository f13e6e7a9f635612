package safeguard

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// classify looks every word up, and the terms that begin with it.
func (s *sentence) classify() {
	for i := range s.tokens {
		t := &s.tokens[i]
		w := bare(t.Value)
		of := s.lookup(vocabulary, i)
		if t.Class == memory.TokenIdent {
			of |= vocabulary.parts(w)
		}
		if of&guard != 0 && outdatedProtocol(s.tokens, i) {
			of = of&^(guard|core) | weak
		}
		if of&off != 0 && (s.negated(i) || s.ownOff(i) || s.over(i) || s.offOf(i) || s.failsWithout(i) || s.value(i+1) == "support" || w == "drops" && i > 0 && s.is[i-1]&guard != 0) {
			of &^= off
		}
		if of&(hard|neutral) != 0 && s.negated(i) {
			of &^= hard | neutral
		}
		if of&secure != 0 && (t.Code || t.Class != memory.TokenWord) && !strings.HasPrefix(w, "/") {
			of &^= secure // the name of a service says little about what happens to it
		}
		if isOutside(t) {
			of |= outside
		}
		if w == "public" && commonwealth[s.value(i+1)] {
			of = 0 // "public holidays" are nobody's to open
		}
		if of&stranger != 0 && t.Code && labelling[s.value(i-1)] {
			of &^= stranger // the name of a label
		}
		if w == "ids" && !t.Caps {
			of = 0 // more than one id, and no detection of intrusions
		}
		if of&venue != 0 && !placed[s.value(i-1)] && !placed[s.value(i-2)] {
			of &^= venue
		}
		if of&hard != 0 && (w == "only" || w == "nur") && scarce[s.value(i+1)] {
			of &^= hard // "needs only one operator"
		}
		if t.Class == memory.TokenDate || dating[w] {
			of |= dated
		}
		if s.isValue(i) {
			of |= value
		}
		s.is = append(s.is, of)
	}
	for i := range s.tokens {
		switch {
		case s.relieved(i):
			s.is[i] |= hard | denies
			s.shut = true
		case s.lowers(i):
			s.is[i] |= off | denies
		case denials[s.tokens[i].Value]:
			s.is[i] |= denies
		case s.short(i), s.shrinks(i):
			s.is[i] |= less
		}
	}
}

// lookup returns the classes that word i has in a lexicon, with those of the terms that
// begin with it.
func (s *sentence) lookup(l *lexicon, i int) class {
	if i >= len(s.tokens) {
		return 0
	}
	t := &s.tokens[i]
	w := bare(t.Value)
	if t.Class == memory.TokenNumber && t.Unit == "fa" {
		w = "2fa" // written like a number and its unit
	}
	of := l.of(w)
	for _, term := range l.terms[w] {
		of |= s.term(i, term)
	}
	if w != "" {
		for _, term := range l.stems[w[0]] {
			if fits(w, term.words[0]) {
				of |= s.term(i, term)
			}
		}
	}
	return of
}

// ownOff reports a removal that is part of the name of a protection: "delete protection".
func (s *sentence) ownOff(i int) bool {
	w, next := s.tokens[i].Value, s.value(i+1)
	return (w == "delete" || w == "deletion") && (strings.HasPrefix(next, "protect") || next == "lock" || s.value(i-1) == "soft")
}

// over reports an end that only says when something else happens: "start it after the backup
// has ended". What was switched off by somebody is not meant so.
func (s *sentence) over(i int) bool {
	if !ends[s.tokens[i].Value] {
		return false
	}
	for j := i - 1; j >= 0 && j >= i-6 && s.tokens[j+1].Sep == 0; j-- {
		if when[s.tokens[j].Value] {
			return true
		}
	}
	return false
}

// offOf reports an "off" that only says from where something came: "came off the scanner".
func (s *sentence) offOf(i int) bool {
	if s.tokens[i].Value == "off" && i > 0 && (s.tokens[i-1].Value == "signed" || s.tokens[i-1].Value == "signs") {
		return true // an approval
	}
	return s.tokens[i].Value == "off" && i > 0 && s.tokens[i].Sep == 0 && comings[s.tokens[i-1].Value] && i+1 < len(s.tokens) && s.tokens[i+1].Sep == 0
}

// failsWithout reports a removal inside a condition under which something fails, so that it holds:
// "signing fails when the reader is unplugged".
func (s *sentence) failsWithout(i int) bool {
	for j := i - 1; j > 0 && j >= i-7 && s.tokens[j+1].Sep == 0; j-- {
		switch s.tokens[j].Value {
		case "when", "if", "while", "wenn", "falls", "sobald":
			return failing[s.tokens[j-1].Value] && !s.negated(j-1)
		}
	}
	return false
}

var (
	comings      = memory.WordSet(`came come comes coming fell fall falls hangs hung branches branched bounced bounces runs ran lives feeds`)
	failing      = memory.WordSet(`fails failed breaks broke hangs hung stops stopped refuses refused scheitert bricht`)
	labelling    = memory.WordSet(`label labels tag tags field column key attribute header class named called label: spalte feld`)
	commonwealth = memory.WordSet(`holiday holidays transport transit sector health beta school schools road roads prosecutor law opinion relations announcement announcements`)
	ends         = memory.WordSet(`ended stopped beendet`)
	when         = memory.WordSet(`after once until before nachdem sobald bis bevor`)
)

func bare(w string) string { return strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s") }

// term returns the classes of a term whose first word is at i, 0 where the others do not
// follow.
func (s *sentence) term(i int, t term) class {
	if i+len(t.words) > len(s.tokens) {
		return 0
	}
	for k, w := range t.words[1:] {
		if !fits(bare(s.tokens[i+1+k].Value), w) {
			return 0
		}
	}
	return t.of
}

func fits(word, pattern string) bool {
	if begin, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(word, begin)
	}
	return word == pattern
}

// negated reports a negation right before word i: "no longer skipped".
func (s *sentence) negated(i int) bool {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		switch s.tokens[j].Value {
		case "not", "never", "longer", "nicht", "nie", "cannot":
			return true
		}
	}
	return false
}

func (s *sentence) value(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i].Value
}

// lowers reports whether word i takes away what stands near it without naming a removal:
// "no review", "without a second factor", "is not verified", "count as reviewed".
func (s *sentence) lowers(i int) bool {
	next := s.value(i + 1)
	switch w := s.tokens[i].Value; w {
	case "no", "any", "nicht", "keine":
		if (next == "longer" || w == "any" && next == "more" || w == "nicht" && next == "mehr") && !faults[s.value(i+2)] {
			return true
		}
		return w != "any" && s.denies(i)
	case "without", "ohne", "kein", "keinen", "keiner", "nor":
		return s.denies(i)
	case "not", "doesn't", "don't", "isn't", "aren't":
		return s.ofAny(i+1, i+3, guard) && !strings.HasSuffix(next, "only")
	case "none", "false", "0":
		return i > 0 && (s.tokens[i].Sep == ':' || s.tokens[i].Sep == ',' || s.tokens[i].Code || w == "none" && s.tokens[i].Caps)
	case "instead", "place", "rather":
		return (next == "of" || next == "than") && s.ofPlain(i+2, i+5, guard)
	case "aus":
		return i+1 == len(s.tokens) || s.tokens[i+1].Sep != 0
	case "count", "counts", "gilt", "gelten", "passes", "treated":
		return next == "as" || next == "als"
	}
	return false
}

// relieved reports a "no longer" before what is better not so: "no longer runs as root", "sind
// nicht mehr öffentlich". What stops beside a protection is no relief.
func (s *sentence) relieved(i int) bool {
	w, next := s.tokens[i].Value, s.value(i+1)
	if (w != "no" || next != "longer") && (w != "nicht" || next != "mehr") {
		return false
	}
	const far = 7
	return s.ofAny(i+2, i+far, hole|weak|exposed|public|power|strong|factory) && !s.ofAny(i+2, i+far, guard|keep|watch)
}

// denied is how far a mere "no" or "without" reaches.
const denied = 3

// denies reports a "no" or "without" whose object is a protection: "needs no approval", "no
// longer verified". No fault is good news, "no more than" bounds, and who looks whether there
// is one lowers nothing.
func (s *sentence) denies(i int) bool {
	w, next := s.tokens[i].Value, s.value(i+1)
	if freeings[next] {
		return false // what is not released stays locked
	}
	if faults[next] || strings.Contains(next, "fehler") || strings.Contains(next, "nur") || next == "more" && s.value(i+2) == "than" || s.looksFor(i) {
		return false
	}
	if s.ofAny(i+1, i+1+denied, guard) || s.ofAny(i-1, i, guard) && s.ofAny(i+1, i+1+denied, secret|source|identity) {
		return true
	}
	// Behind what it denies: "reviews are needed no longer", "protected-mode no".
	if w == "nicht" || w == "no" && (next == "longer" || next == "more" || i+1 == len(s.tokens) || s.tokens[i+1].Sep != 0 || s.tokens[i].Code) {
		return s.ofAny(i-6, i, guard)
	}
	return false
}

// ofAny reports a word of the classes among those from i up to j, j excluded.
func (s *sentence) ofAny(i, j int, of class) bool {
	for k := max(i, 0); k < min(j, len(s.is)); k++ {
		if s.is[k]&of != 0 {
			return true
		}
	}
	return false
}

// freeings are verbs of letting go. EN and DE.
var freeings = memory.WordSet(`released release freed free unlock unlocked lifted dropped freigab freigibt freigegeben freigeben gelöst aufgehoben`)

var denials = memory.WordSet(`no not nor never lost loses kein keine keinen nicht nur only without`)

var (
	placed = memory.WordSet(`in on to into onto at via im ins auf an am unter through`)
	scarce = memory.WordSet(`one a an the two 1 2 ein eine einen zwei`)
	dating = memory.WordSet(`since now seit jetzt anymore nowadays`)
)

// shrinks reports the second number of "from 14 to 6 characters" where it is the smaller one
// and the unit is one of protections: a scan that takes 4 minutes instead of 9 is none.
func (s *sentence) shrinks(i int) bool {
	t := &s.tokens[i]
	if t.Class != memory.TokenNumber || i < 2 || !strengths[s.value(i+1)] && !strengths[s.value(i-2)] && !strengths[t.Unit] {
		return false
	}
	link := s.value(i - 1)
	if link != "to" && link != "auf" && link != "→" {
		return false
	}
	for j := i - 2; j >= 0 && j >= i-4; j-- {
		if b := &s.tokens[j]; b.Class == memory.TokenNumber {
			return isDigits(b.Value) && isDigits(t.Value) && (len(b.Value) > len(t.Value) || len(b.Value) == len(t.Value) && b.Value > t.Value)
		}
	}
	return false
}

var strengths = memory.WordSet(`days day weeks week months month years year d characters chars zeichen tage tagen wochen monate monaten approvals approval reviewers reviewer reviews rounds iterations bits bit copies copy approvers stellen kopien freigaben prüfer`)

// short reports the number of a time in which nobody has looked yet: hours, or up to three
// days, behind a word for how long something is kept.
func (s *sentence) short(i int) bool {
	t := &s.tokens[i]
	if t.Class != memory.TokenNumber && t.Value != "one" && t.Value != "einen" && t.Value != "einem" || !s.ofAny(i-8, i+5, span) || !s.recorded() {
		return false
	}
	unit := s.value(i + 1)
	switch {
	case strings.HasPrefix(unit, "hour"), strings.HasPrefix(unit, "stunde"), strings.HasPrefix(unit, "minute"), t.Unit == "h":
		return true
	case strings.HasPrefix(unit, "day"), strings.HasPrefix(unit, "tag"), t.Unit == "d":
		return t.Value == "0" || t.Value == "1" || t.Value == "2" || t.Value == "3" || t.Class == memory.TokenWord
	}
	return false
}

// recorded reports that the sentence is about what tells or restores what happened. The
// name of a service does not.
func (s *sentence) recorded() bool {
	for i, of := range s.is {
		if w := s.tokens[i].Value; !s.tokens[i].Code && (of&flow != 0 || of&keep != 0 && of&span == 0) && w != "retention" {
			return true
		}
	}
	return false
}

// ofPlain is ofAny without words that are as common elsewhere.
func (s *sentence) ofPlain(i, j int, of class) bool {
	for k := max(i, 0); k < min(j, len(s.is)); k++ {
		if s.is[k]&of != 0 && s.is[k]&everyday == 0 {
			return true
		}
	}
	return false
}

var (
	// faults are what it is good to have none of.
	faults      = memory.WordSet(`error errors fault faults issue issues problem problems failure failures finding findings warning warnings regression regressions flaky broken stale stuck slow`)
	lookVerbs   = memory.WordSet(`verify validate check`)
	beforeOrder = memory.WordSet(`and then to manually first`)
)

// looksFor reports that the "no" at i is what somebody is told to look for: "and verify no
// file changed". What an attacker gains from being left unchecked is not meant so.
func (s *sentence) looksFor(i int) bool {
	if i == 0 || s.tokens[i].Sep != 0 || !lookVerbs[s.tokens[i-1].Value] {
		return false
	}
	if i > 1 && s.tokens[i-1].Sep == 0 && !beforeOrder[s.tokens[i-2].Value] {
		return false
	}
	for j := i + 1; j < len(s.tokens) && j <= i+4; j++ {
		if s.is[j]&(guard|secret|source) != 0 || s.tokens[j].Value == "key" || s.tokens[j].Value == "keys" {
			return false
		}
	}
	return true
}

// outdatedProtocol reports a version of a protocol that nobody should use: to switch
// off TLS 1.0 raises the protection.
func outdatedProtocol(tokens []memory.Token, i int) bool {
	if !strings.Contains(tokens[i].Value, "tls") && !strings.Contains(tokens[i].Value, "ssl") {
		return false
	}
	return strings.HasSuffix(tokens[i].Value, "v3") || strings.HasSuffix(tokens[i].Value, "v2") || i+1 < len(tokens) && tokens[i+1].Class == memory.TokenNumber && tokens[i+1].Sep == 0 && tokens[i+1].Value < "1.2"
}
