package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// reading is how a word of obligation is meant where it stands.
type reading uint8

// The readings. A text that only describes makes no norm, however often it says
// "never"; a habit may be either, and a person tells which.
const (
	obliges   reading = iota // somebody has to do or to leave something
	describes                // it says what is, was or follows
	habit                    // it says how several things always are
)

// clause is the part of a sentence around a word: a norm and what makes it one stand
// in the same clause.
type clause struct {
	tokens     []memory.Token
	stamps     []bool
	at         int
	start, end int
	german     bool
}

// clauseAt returns the clause around token at.
func clauseAt(tokens []memory.Token, stamps []bool, at int, german bool) clause {
	c := clause{tokens: tokens, stamps: stamps, at: at, start: at, end: at + 1, german: german}
	for c.start > 0 && !stops(tokens[c.start].Sep) {
		c.start--
	}
	for c.start < at && stamps != nil && stamps[c.start] {
		c.start++
	}
	for c.end < len(tokens) && !stops(tokens[c.end].Sep) {
		c.end++
	}
	return c
}

// stops reports a separator that ends a clause.
func stops(sep byte) bool {
	return sep == '.' || sep == ';' || sep == ':' || sep == '\n' || sep == '('
}

// read returns how the phrase at token at, of a detector for norms or wishes, is
// meant.
func read(tokens []memory.Token, stamps []bool, detector, at int, words string, german bool) reading {
	c := clauseAt(tokens, stamps, at, german)
	if detector != detPreference && (c.attributed() || c.bygone(words)) {
		return describes
	}
	switch words {
	case "never", "always", "nie", "niemals", "immer", "stets", "at all times", "ausnahmslos":
		return c.frequency()
	case "must", "has to", "have to", "muss", "müssen", "shall", "must not", "mustn't":
		return c.necessity()
	case "do not", "don't":
		return c.prohibition()
	case "may not", "may only":
		return c.permission()
	case "should", "should not", "shouldn't", "sollte", "sollten", "soll", "sollen", "ought to":
		return c.advice()
	case "recommend", "recommends":
		if c.outsider() {
			return habit
		}
	case "recommended", "empfohlen":
		if c.byOutsider() {
			return habit
		}
	case "needs to be", "need to be":
		if c.doneByItself() || c.tracesBack() || c.elseHappens() || c.saidBehind() {
			return habit
		}
	case "go into", "goes into", "go under", "goes under":
		if c.entersState() {
			return habit
		}
	case "strictly":
		if degrees[c.next()] {
			return describes // "strictly increasing"
		}
	case "zwingend", "verpflichtend":
		if at > 0 && (tokens[at-1].Value == "nicht" || tokens[at-1].Value == "kaum") {
			return describes
		}
	case "make sure", "be sure", "ensure that", "consider", "remember to":
		return c.order()
	case "forbidden", "prohibited", "verboten", "untersagt", "not allowed", "not permitted", "only allowed", "only permitted", "allowed only", "mandatory", "pflicht":
		if c.before("was", "were", "had", "war", "waren", "wurde") || at > 0 && tokens[at-1].Class == memory.TokenNumber {
			return describes // a report, or the name of a status: "403 Forbidden"
		}
	}
	if detector == detPreference {
		if c.told(words) {
			return describes
		}
		return c.wish(words)
	}
	return obliges
}

// frequency reads "never" and "always". They make a norm at the start of a clause,
// under a modal verb, and of what we do; else they say how often something happens.
func (c clause) frequency() reading {
	switch {
	case c.initial():
		if c.next() == "before" {
			return describes // "never before had it run so long"
		}
		if c.at+1 < len(c.tokens) && past(c.tokens[c.at+1]) && !irregularBase[c.tokens[c.at+1].Value] {
			return describes // "Never worked on Alpine"
		}
		return obliges
	case c.afterComma():
		if n := c.next(); orders(n) {
			return obliges // "when adding a section, always create …"
		}
	}
	for j := c.at - 1; j >= c.start && j >= c.at-4; j-- {
		switch w := c.tokens[j].Value; {
		case advisory[w]:
			if c.inference() {
				return describes
			}
			return obliges
		case ability[w]:
			return describes // "may never discover", "can always recover"
		}
	}
	// German has the modal verb at either side: "dürfen niemals", "wird nie … dürfen".
	if c.german && c.after("dürfen", "darf", "sollen") {
		return obliges
	}
	if c.after("to") && c.at+1 < c.end && c.tokens[c.at+1].Value == "to" {
		return obliges // "is never to be edited"
	}
	if c.reports() {
		return describes
	}
	switch s := c.subject(); {
	case s.we:
		return obliges
	case s.people && !c.reasoned():
		return obliges
	case s.several || s.people:
		return habit
	}
	return describes
}

// necessity reads "must" and its like. "Must have run" infers, and "does not have to"
// frees.
func (c clause) necessity() reading {
	switch {
	case c.inference(), c.evident():
		return describes
	case c.breaks(), c.suffers(), c.needsItself(), c.doneByItself(), c.tracesBack(), c.faulty(), c.saidBehind(), c.elseHappens(), c.embedded(), c.demanded(), c.costs(), c.enables(), c.befell(), c.contrary(), c.property():
		return habit
	case c.tokens[c.at].Value == "has" || c.tokens[c.at].Value == "have":
		if c.frees() {
			return describes
		}
	case c.german && c.within("nicht", 4) && !c.before("darf", "dürfen"):
		return describes // "muss nicht" is "need not"
	}
	return obliges
}

// frees reports that nobody has to, or that it is not necessary to.
func (c clause) frees() bool {
	for j := c.at - 1; j >= c.start && j >= c.at-3; j-- {
		switch w := c.tokens[j].Value; {
		case w == "nobody", w == "not", w == "no", w == "never", strings.HasSuffix(w, "n't"), w == "niemand", w == "without":
			return true
		}
	}
	return c.start < c.at && c.tokens[c.start].Value == "no"
}

// inference reports a modal verb that says what probably happened: "must have run",
// "should have stopped", "muss abgebrochen sein".
func (c clause) inference() bool {
	for j := c.at + 1; j < c.end && j <= c.at+3; j++ {
		if c.tokens[j].Value == "have" && j+1 < c.end && participle(c.tokens[j+1]) || j+2 < c.end && c.tokens[j].Value == "have" && c.tokens[j+1].Value == "been" {
			return true
		}
	}
	if !c.german {
		return false
	}
	for j := c.at; j >= c.start; j-- {
		switch c.tokens[j].Value {
		case "jede", "jeder", "jedes", "jeden", "alle", "sämtliche", "kein", "keine":
			if ordinals[c.tokens[j+1].Value] {
				continue // "jede zweite Bake" was counted
			}
			return false // "jede Änderung muss … eingerahmt sein" says what all have to be
		}
		if c.tokens[j].Sep == ',' {
			break
		}
	}
	// The verbs of a German clause end it: "… am 3. März abgebrochen sein", a comma
	// begins the next one.
	for j := c.at + 2; j < c.end; j++ {
		if w := c.tokens[j].Value; (w == "sein" || w == "haben" || w == "worden") && germanParticiple(c.tokens[j-1].Value) {
			return w != "sein" || !c.before("muss", "müssen", "soll", "sollen") || c.closes(j)
		}
	}
	return false
}

// closes reports that token j ends its part of the sentence.
func (c clause) closes(j int) bool { return j+1 >= len(c.tokens) || c.tokens[j+1].Sep != 0 }

// prohibition reads "do not": it forbids where no subject precedes it, and where we
// or you are the subject.
func (c clause) prohibition() reading {
	if c.stative() {
		return describes
	}
	if c.initial() || c.afterComma() && !c.relative() {
		return obliges
	}
	if s := c.subject(); s.we || s.you {
		return obliges
	}
	if c.at > c.start && (c.tokens[c.at-1].Value == "please" || c.tokens[c.at-1].Value == "then" || c.tokens[c.at-1].Value == "so" || c.tokens[c.at-1].Value == "and" || c.tokens[c.at-1].Value == "but") {
		return obliges
	}
	return describes
}

// permission reads "may not" and "may only": of a thing they say what is possible.
func (c clause) permission() reading {
	if c.at > 0 {
		switch c.tokens[c.at-1].Value {
		case "it", "this", "that", "which", "they", "there":
			return describes
		}
	}
	if s := c.subject(); !s.we && !s.you && !s.people && !c.office() && c.at+2 < c.end && c.tokens[c.at].Value == "may" && c.tokens[c.at+1].Value == "only" && stative[c.tokens[c.at+2].Value] {
		return habit // "may only contain one currency": what fits in
	}
	return obliges
}

// advice reads "should" and "soll": expectations that were missed, and what somebody
// is said to do.
func (c clause) advice() reading {
	if c.inference() || c.missed() {
		return describes
	}
	if c.start <= c.at-1 {
		if w := c.tokens[c.at-1].Value; w == "nobody" || w == "niemand" {
			return describes // "nobody should be surprised"
		}
	}
	if c.after("according") || c.before("theory", "theoretically", "nominally") || c.contrary() || c.measuredOtherwise() || c.saidBehind() || c.inverted() || c.embedded() || c.demanded() {
		return habit
	}
	if c.german && (c.within("laut", 8) || c.within("angeblich", 8) || c.before("laut", "angeblich")) {
		return describes
	}
	return obliges
}

// order reads phrases that oblige only as an order: "ensure that", but not "checks to
// ensure that".
func (c clause) order() reading {
	if c.initial() || c.afterComma() {
		return obliges
	}
	for j := c.at - 1; j >= c.start && j >= c.at-3; j-- {
		if w := c.tokens[j].Value; advisory[w] || w == "please" || w == "we" || w == "and" || w == "then" || w == "always" || w == "you" {
			return obliges
		}
	}
	return describes
}

// initial reports that only words that may precede an order stand before the phrase in
// its clause.
func (c clause) initial() bool {
	for j := c.start; j < c.at; j++ {
		if w := c.tokens[j].Value; !skipAhead[w] && w != "so" && w != "but" && w != "or" && w != "also" {
			return false
		}
	}
	return true
}

// afterComma reports that the phrase follows a comma, or the "and" behind one.
func (c clause) afterComma() bool {
	j := c.at
	if j > c.start && (c.tokens[j-1].Value == "and" || c.tokens[j-1].Value == "but" || c.tokens[j-1].Value == "then") && c.tokens[j].Sep == 0 {
		if orders(c.next()) {
			return true
		}
		j--
	}
	return j > c.start && c.tokens[j].Sep == ','
}

// relative reports a pronoun right before the phrase that makes it part of a
// description.
func (c clause) relative() bool {
	w := c.tokens[c.at-1].Value
	return w == "who" || w == "that" || w == "which"
}

// next returns the word behind the phrase.
func (c clause) next() string {
	if c.at+1 < c.end && !c.tokens[c.at+1].Code {
		return c.tokens[c.at+1].Value
	}
	return ""
}

func orders(word string) bool { return plainOrders[word] || nounOrders[word] }

// reports says that the clause tells of the past.
func (c clause) reports() bool {
	for j := c.start; j < c.end; j++ {
		t := c.tokens[j]
		if t.Class != memory.TokenWord || t.Code || c.stamps != nil && c.stamps[j] {
			continue
		}
		switch t.Value {
		case "was", "were", "had", "did", "didn't", "wasn't", "weren't", "been", "war", "waren", "hatte", "hatten", "wurde", "wurden", "worden":
			return true
		}
		// "never flushed" and "never ran" report; "is never flushed" does not.
		if j == c.at+1 && pastVerb(t) && !c.be() {
			return true
		}
		// German: "hat … nie … geschrieben".
		if c.german && j > c.at && germanParticiple(t.Value) && (c.before("hat", "haben") || c.within("hat", 3)) {
			return true
		}
	}
	return false
}

// be reports a present form of "to be" before the phrase.
func (c clause) be() bool {
	return c.before("is", "are", "'re", "gets", "get") || c.at > c.start && strings.HasSuffix(c.tokens[c.at-1].Value, "'re")
}

// before reports whether one of the words stands in the clause before the phrase.
func (c clause) before(words ...string) bool {
	for j := c.start; j < c.at; j++ {
		for _, w := range words {
			if c.tokens[j].Value == w {
				return true
			}
		}
	}
	return false
}

// after reports whether one of the words stands in the clause behind the phrase.
func (c clause) after(words ...string) bool {
	for j := c.at + 1; j < c.end; j++ {
		for _, w := range words {
			if c.tokens[j].Value == w {
				return true
			}
		}
	}
	return false
}

// within reports whether the word follows the phrase within n tokens.
func (c clause) within(word string, n int) bool {
	for j := c.at + 1; j < c.end && j <= c.at+n; j++ {
		if c.tokens[j].Value == word {
			return true
		}
	}
	return false
}

var (
	// advisory are modal verbs that oblige or advise. EN and DE.
	advisory = memory.WordSet(`must should shall ought muss müssen soll sollen sollte sollten darf dürfen`)
	// ability are modal verbs that say what is possible.
	ability = memory.WordSet(`may might can could will would kann können konnte wird werden`)
	// governs are prepositions: their nouns are no subject.
	governs = memory.WordSet(`of for to in on at by with from into via per through during von vom für im in an am auf aus bei mit nach zu zum zur`)
	// irregularBase are words that are their own past tense: "never put".
	irregularBase = memory.WordSet(`put set let cut split shut hit cost read run come become`)
)

// pastVerb reports a verb in the past tense or a participle.
func pastVerb(t memory.Token) bool { return past(t) && !irregularBase[t.Value] }

// participle reports a word that may follow "have".
func participle(t memory.Token) bool {
	return t.Class == memory.TokenWord && (past(t) || strings.HasSuffix(t.Value, "en") || irregularBase[t.Value] || t.Value == "gone" || t.Value == "done")
}

// germanParticiple reports a German past participle: "geschrieben", "abgebrochen",
// "exportiert".
func germanParticiple(w string) bool {
	if len(w) < 5 {
		return false
	}
	ge := strings.Contains(w[:len(w)-2], "ge") && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
	return ge || strings.HasSuffix(w, "iert") || (strings.HasPrefix(w, "ver") || strings.HasPrefix(w, "be") || strings.HasPrefix(w, "er")) && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
}
