package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// progressing returns the words by which a text says what is being done at the moment:
// "I am bisecting", "is currently being rebuilt". It is over when the text is read.
func progressing(t *Text) string {
	if w := underway(t); w != "" {
		return w
	}
	seen := 0
	for i := 0; i+1 < len(t.Tokens) && seen < headline; i++ {
		if t.Stamps[i] {
			continue
		}
		seen++
		tok := &t.Tokens[i]
		if tok.Code || tok.Quote != 0 || tok.Class != memory.TokenWord {
			continue
		}
		switch tok.Value {
		case "currently", "presently":
			if going(t.Tokens[i+1]) {
				return tok.Value // "currently re-running the import"
			}
		case "next":
			if first(t, i) && announced(t.Tokens[i+1]) {
				return tok.Value // "Next for 0.11: …"
			}
		case "i'm", "we're", "i’m", "we’re":
			if gerund(t.Tokens, i+1) {
				return tok.Value
			}
		case "am", "are", "is":
			if due(t.Tokens, i) {
				return tok.Value + " to"
			}
			own := i > 0 && (t.Tokens[i-1].Value == "i" || t.Tokens[i-1].Value == "we")
			now := momentary[t.Tokens[i+1].Value]
			if own && gerund(t.Tokens, i+1) || now && gerund(t.Tokens, i+2) {
				return tok.Value
			}
		case "will":
			if first(t, i) || issued(t.Tokens, i) {
				return tok.Value // "Will implement as …": a plan without its subject
			}
		}
	}
	return ""
}

// going reports a verb in -ing, also with a prefix: "re-running".
func going(t memory.Token) bool {
	return !t.Code && t.Sep == 0 && len(t.Value) > 4 && strings.HasSuffix(t.Value, "ing") && !strings.ContainsAny(t.Value, "./_") && !lasting[t.Value]
}

// announced reports what stands behind a "next" that heads a plan.
func announced(t memory.Token) bool {
	return t.Sep == ':' || t.Sep == ',' || t.Sep == 0 && nexts[t.Value]
}

var nexts = memory.WordSet(`for in on up step steps is comes are come we i after week month quarter release sprint`)

// momentary are adverbs of the moment. EN.
var momentary = memory.WordSet(`currently now still just presently`)

// gerund reports a verb in -ing at token i, or behind an adverb of the moment.
func gerund(tokens []memory.Token, i int) bool {
	if i < len(tokens) && momentary[tokens[i].Value] {
		i++
	}
	return i < len(tokens) && !tokens[i].Code && len(tokens[i].Value) > 4 && strings.HasSuffix(tokens[i].Value, "ing") && tokens[i].Class == memory.TokenWord && !lasting[tokens[i].Value]
}

// lasting are verbs whose form in -ing says how things are. EN.
var lasting = memory.WordSet(`using relying hosting storing keeping holding having being missing`)

// first reports that only a stamp precedes token i.
func first(t *Text, i int) bool {
	for j := range i {
		if !t.Stamps[j] {
			return false
		}
	}
	return !t.Doc.German
}

// narrated returns the first verb of a text that only tells what somebody looked at:
// "opened `main.go` and read it". Nothing in it is true of the project, so it is of no
// use to anybody. A text with a finding, a number, a cause or any other verb in the
// past is more than that.
func narrated(t *Text) string {
	verb, words := "", 0
	for i := range t.Tokens {
		tok := &t.Tokens[i]
		if t.Stamps[i] || tok.Class == memory.TokenDate {
			continue
		}
		words++
		switch {
		case tok.Class == memory.TokenNumber, tok.Class == memory.TokenArrow, words > headline:
			return ""
		case tok.Class != memory.TokenWord || tok.Code:
		case looks[tok.Value]:
			if verb == "" {
				if !narrator(t, i) {
					return ""
				}
				verb = tok.Value
			}
		case finds[tok.Value], reasons[tok.Value] && tok.Value != "before" && tok.Value != "after", past(*tok), finiteVerbs[tok.Value], tok.Value == "not", tok.Value == "no", tok.Value == "nicht":
			return ""
		}
	}
	return verb
}

// narrator reports that the verb at token i has no subject, or the teller.
func narrator(t *Text, i int) bool {
	for j := range i {
		if t.Stamps[j] || t.Tokens[j].Class == memory.TokenDate {
			continue
		}
		switch t.Tokens[j].Value {
		case "i", "we", "ich", "wir", "habe", "haben", "then", "first", "today", "also", "agent", "assistant", "the", "dann", "zuerst", "have", "just":
		default:
			return lookedInGerman[t.Tokens[i].Value]
		}
	}
	return true
}

var (
	// looks are verbs of looking, in the past. EN and DE.
	looks = memory.WordSet(`opened read looked viewed inspected browsed searched grepped listed navigated scrolled examined skimmed explored visited studied reviewed checked discussed asked consulted started continued began
 geöffnet gelesen angesehen angeschaut durchgesehen durchsucht gesucht besprochen geprüft betrachtet öffnete las`)
	lookedInGerman = memory.WordSet(`geöffnet gelesen angesehen angeschaut durchgesehen durchsucht gesucht besprochen geprüft betrachtet`)
	// finds are words of a result. EN and DE.
	finds = memory.WordSet(`found shows showed reveals revealed confirms confirmed proves proved means that because so which works fails missing unused identical same only all none ergab zeigt dass weil gefunden fehlt`)
)

// bygone reports that a word of a norm tells of one that was: "the old style guide
// demanded tabs", "the convention ended in May", "the auditors recommended keys".
func (c clause) bygone(words string) bool {
	switch words {
	case "must", "should", "shall":
		return c.at+1 < len(c.tokens) && c.at == c.start && c.tokens[c.at].Upper && c.tokens[c.at+1].Sep == ',' // "Must, the search engine, …" is a name
	case "consider":
		return c.at+1 < c.end && (c.tokens[c.at+1].Value == "how" || c.tokens[c.at+1].Value == "what" || c.tokens[c.at+1].Value == "that")
	case "mandatory", "pflicht", "verpflichtend":
		return c.at > c.start && (c.tokens[c.at-1].Value == "the" || c.tokens[c.at-1].Value == "a") && c.at+1 < c.end && c.history()
	case "convention", "conventions", "best practice", "best practices", "guideline", "guidelines", "style guide", "policy is", "konvention", "richtlinie":
		return c.history()
	case "recommended", "recommend", "recommends":
		if c.at <= c.start || c.at+1 >= c.end || c.tokens[c.at+1].Sep != 0 {
			return false
		}
		w := c.tokens[c.at-1].Value
		return words == "recommended" && w != "we" && w != "i" && w != "is" && w != "are" && w != "be" && w != "not" && w != "it" && !articleBefore(c, c.at) && c.history()
	}
	return false
}

func articleBefore(c clause, i int) bool {
	w := c.tokens[i-1].Value
	return w == "the" || w == "a" || w == "our"
}

// history reports that the sentence is in the past tense, and that nobody agrees on
// anything in it.
func (c clause) history() bool {
	return norm.Past(c.tokens[c.start:c.end], c.german) && !c.before(agreements...) && !c.after(agreements...)
}

// agreements are verbs by which a norm comes to be.
var agreements = []string{"agreed", "decided", "adopted", "introduced", "chose", "settled", "set", "became", "vereinbart", "beschlossen", "eingeführt", "festgelegt"}

// evident reports a "must" that concludes from what is seen: "must look like a replay",
// "must come from the proxy".
func (c clause) evident() bool {
	if c.at+2 >= c.end {
		return false
	}
	next, after := c.tokens[c.at+1].Value, c.tokens[c.at+2].Value
	switch next {
	case "look", "seem", "appear", "sound", "feel":
		return after == "like" || after == "to" || next != "look"
	case "come", "stem", "originate":
		return after == "from"
	case "be":
		return after == "due" || after == "because" || c.at > c.start && c.tokens[c.at-1].Value == "it" && (after == "the" || after == "a")
	}
	return false
}

// missed reports an expectation that was missed: "hätte um drei laufen sollen", "sollten
// 30 Tage bleiben, sie waren nach 7 weg".
func (c clause) missed() bool {
	if c.before("hätte", "hätten") {
		return true
	}
	switch c.tokens[c.at].Value {
	case "sollte", "sollten":
	default:
		return false
	}
	if c.at == c.start {
		return false // "sollte das Netz ausfallen, ist …" is a condition
	}
	for j := c.at + 1; j < c.end; j++ {
		if w := c.tokens[j].Value; w == "war" || w == "waren" || w == "wurde" || w == "wurden" || w == "kam" || w == "lief" || (w == "hat" || w == "haben" || w == "ist") && c.tokens[j].Sep == ',' {
			return true
		}
	}
	return false
}

// befell reports an obligation of a thing, and behind it what came of it once: "must parse as
// UTF-8, a BOM made it stale", "must be cut at key frames, and our old splitter did not do
// that", "has to be counted twice; that explains the surplus". It tells why something went
// wrong. What people must do stays a rule, whatever happened to those who did not.
func (c clause) befell() bool {
	if s := c.subject(); s.we || s.you || s.people || c.at == c.start || quantifiers[c.tokens[c.start].Value] || c.office() {
		return false
	}
	done := c.passive()
	for j := c.at + 1; j+1 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if c.tokens[j].Sep == 0 || c.tokens[j].Sep == '(' {
			continue
		}
		first, next := c.tokens[j].Value, c.tokens[j+1].Value
		switch {
		case (first == "that" || first == "which" || first == "das" || first == "was") && accounts[next], first == "hence" && articles[next]:
			return true
		case done || c.tokens[j].Sep == ':' || c.tokens[j].Sep == '.':
			if !strings.HasPrefix(first, "and") || next != "our" {
				continue
			}
		case first == "so" || first == "and" || first == "but":
			if !articles[next] {
				continue
			}
		case !articles[first]:
			continue
		}
		for k := j + 1; k < len(c.tokens) && c.tokens[k].Sep == 0; k++ {
			if w := c.tokens[k]; pasts[w.Value] && w.Value != "set" && w.Value != "put" || w.Class == memory.TokenWord && !w.Code && k > j+1 && pastVerb(w) && !auxiliaries[c.tokens[k-1].Value] && k+1 < len(c.tokens) && (articles[c.tokens[k+1].Value] || c.tokens[k+1].Value == "our") {
				return true
			}
		}
	}
	return false
}

var (
	// accounts are verbs by which what was said turns out to be a cause. EN and DE.
	accounts    = memory.WordSet(`explains explained erklärt erklärte`)
	auxiliaries = memory.WordSet(language.EnglishAuxiliaries, language.GermanAuxiliaries)
)

// rhetorical reports a word of obligation in a question that the text goes on to answer: "why
// should the sum differ? Because …". Whether we should do something stays open.
func (c clause) rhetorical(clean string) bool {
	if s := c.subject(); s.we || s.you || c.within("we", 2) || c.within("i", 2) {
		return false
	}
	for j := c.at; j+1 < len(c.tokens); j++ {
		if s := c.tokens[j+1].Sep; s != 0 && s != ',' || c.tokens[j+1].Quote != 0 {
			return c.tokens[j].Quote == 0 && c.tokens[j].End < len(clean) && clean[c.tokens[j].End] == '?'
		}
	}
	return false
}

// wentOn reports a wish of the past beside what was done then: "wanted to drop it and kept it",
// "what they wanted was a list, and that is where it comes from".
func (c clause) wentOn(words string) bool {
	if words != "wanted" && words != "wollte" && words != "wollten" {
		return false
	}
	what := false
	for j := c.start; j < c.at; j++ {
		what = what || c.tokens[j].Value == "what" || c.tokens[j].Value == "was" && c.german && j == c.start
	}
	for j := c.at + 1; j+1 < c.end; j++ {
		switch w := c.tokens[j].Value; {
		case what && (w == "was" || w == "were" || w == "war"):
			return true
		case (w == "and" || w == "und") && pastVerb(c.tokens[j+1]) && !wishes[c.tokens[j+1].Value]:
			return true
		}
	}
	return false
}

// wishes are pasts of asking and liking.
var wishes = memory.WordSet(`asked wanted insisted preferred wished demanded requested liked`)

// settled reports that a word of a plan stands in the story of one that is over: "the
// planned rename was called off".
func settled(t *Text, at int, words string) bool {
	switch words {
	case "planned", "plan to", "plan for", "the plan was", "our plan", "geplant", "der plan", "plane", "scheduled for":
	case "so far", "bisher", "bislang":
		for j := at + 1; j < len(t.Tokens) && j <= at+4 && !sentenceEnd(t.Tokens[j].Sep); j++ {
			if w := t.Tokens[j].Value; w == "had" || w == "hatte" || w == "hatten" || w == "war" || w == "waren" {
				return true // "so far it had been off" tells what was before
			}
		}
		return false
	case "todo", "to-do":
		return carriedOut(t, at)
	case "waiting for", "waiting on", "working on", "looking into", "investigating", "trying to":
		return spent(t, at)
	default:
		return false
	}
	c := clauseAt(t.Tokens, t.Stamps, at, t.Doc.German)
	if at > c.start && (c.tokens[at-1].Value == "we" || c.tokens[at-1].Value == "i" || c.tokens[at-1].Value == "is" || c.tokens[at-1].Value == "are") {
		return false
	}
	for j := at + 1; j < c.end; j++ {
		w := c.tokens[j].Value
		if over[w] || c.tookPlace(j) || (w == "called" && j+1 < c.end && c.tokens[j+1].Value == "off") {
			return true
		}
	}
	return norm.Past(c.tokens[c.start:c.end], c.german) && words != "planned" && c.tokens[at].Value == "plan"
}

// spent reports that the words at a place tell how a time went that is over: "the run took
// 22 minutes, most of it waiting for the lock".
func spent(t *Text, at int) bool {
	c := clauseAt(t.Tokens, t.Stamps, at, t.Doc.German)
	if at == c.start || current[c.tokens[at-1].Value] {
		return false
	}
	if w := c.tokens[at-1].Value; w == "was" || w == "were" {
		return true // "1,906 were waiting on the last day"
	}
	for j := c.start; j < at; j++ {
		if w := c.tokens[j].Value; w == "took" || w == "spent" || w == "cost" || w == "lost" {
			return true
		}
	}
	return false
}

// current are words that say that something goes on.
var current = memory.WordSet(`is are am i'm we're still currently now again keep keeps`)

// over are verbs of plans that ended. EN and DE.
var over = memory.WordSet(`cancelled canceled abandoned dropped withdrawn shelved delivered finished completed shipped done died failed scrapped stopped rejected buried forgotten overruled abgesagt gestrichen verworfen erledigt umgesetzt abgeschlossen aufgegeben`)

// tookPlace reports at token j that what was planned happened: "was planned for March and took
// place in April". What only moved is still to come.
func (c clause) tookPlace(j int) bool {
	switch c.tokens[j].Value {
	case "took":
		return j+1 < len(c.tokens) && c.tokens[j+1].Value == "place"
	case "went":
		return j+1 < len(c.tokens) && c.tokens[j+1].Value == "live"
	case "happened", "fand", "erfolgte", "geschah":
		return true
	}
	return false
}

// carriedOut reports a task at token at that somebody did: "the to-do about long numbers was
// done in 26.3".
func carriedOut(t *Text, at int) bool {
	c := clauseAt(t.Tokens, t.Stamps, at, t.Doc.German)
	for j := at + 1; j+1 < c.end; j++ {
		switch c.tokens[j].Value {
		case "was", "were", "wurde", "wurden", "ist", "sind":
			return over[c.tokens[j+1].Value] || over[c.tokens[c.end-1].Value]
		}
	}
	return false
}

// general reports words of the moment that tell what is so each time, or how much later: "when
// the disk is about to fill", "too soon", "drei Tage später", "gerade Zahlen". Whoever does
// something meanwhile may be told to ("nobody touches it while an exam is running"), so it is
// a habit.
func general(t *Text, at int, words string) bool {
	before := ""
	if at > 0 {
		before = t.Tokens[at-1].Value
	}
	switch words {
	case "about to", "is running", "are running", "waiting for", "waiting on", "working on":
	case "soon":
		return before == "too"
	case "später":
		return memory.IsUnit(before) || at > 0 && t.Tokens[at-1].Unit != "" || laps[before]
	case "gerade":
		return at+1 < len(t.Tokens) && evens[t.Tokens[at+1].Value]
	default:
		return false
	}
	c := clauseAt(t.Tokens, t.Stamps, at, t.Doc.German)
	for j := at - 1; j >= c.start && j >= at-6; j-- {
		switch c.tokens[j].Value {
		case "when", "whenever", "while":
			return true
		case "we", "i", "you":
			return false
		}
		if c.tokens[j].Sep == ',' {
			return false
		}
	}
	return false
}

var (
	laps  = memory.WordSet(`sekunde sekunden minute minuten stunde stunden tag tage tagen woche wochen monat monate jahr jahre jahren`)
	evens = memory.WordSet(`zahl zahlen nummer nummern ziffer ziffern wochen kalenderwochen anzahl indizes zeilen spalten`)
)
