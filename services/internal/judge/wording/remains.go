package wording

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// op is a class of small words of one effect on a statement.
type op uint64

const (
	opExcept op = 1 << iota
	opUnless
	opThough
	opBoth
	opEither
	opNeither
	opOnly
	opMost
	opSome
	opMany
	opHalf
	opHardly
	opNearly
	opUsually
	opSometimes
	opTotal
	opPer
	opEach
	opOutside
	opAtMost
	opAtLeast
	opOrdinal
	opAdvise
	opOblige
	opPermit
	opCouldHave
	opFuture
	opBeNow
	opBePast
	opUntil
	opSince
	opBefore
	opAfter
	opWhile
	opWhen
	opBecause
	opStill
	opAlready
	opNegation
	opCap
	opSequence
	opRange
	opTwo
	opAll
	opBy
	opOther
	opMere
	opPlan
	opRest
	opOnlyWhen
)

// ops are the small words, EN and DE, by their class.
var ops = readOps(map[op]string{
	opExcept:    `except excepting excluding außer ausgenommen`,
	opUnless:    `unless`,
	opThough:    `although though despite regardless notwithstanding obwohl trotz trotzdem obgleich`,
	opBoth:      `both beide beiden sowohl`,
	opEither:    `either entweder`,
	opNeither:   `neither weder`,
	opOnly:      `only solely exclusively alone nur lediglich ausschließlich`,
	opMost:      `most meisten`,
	opSome:      `some several few einige einigen manche manchen mehrere mehreren wenige`,
	opMany:      `many viele vielen`,
	opHalf:      `half halb halbe halben hälfte`,
	opHardly:    `hardly barely scarcely rarely seldom kaum selten`,
	opNearly:    `nearly almost beinahe nahezu`,
	opUsually:   `usually mostly normally typically generally often frequently meist meistens normalerweise üblicherweise gewöhnlich oft häufig`,
	opSometimes: `sometimes occasionally manchmal gelegentlich mitunter`,
	opTotal:     `total together altogether combined overall insgesamt zusammen`,
	opPer:       `per pro`,
	opEach: `each every any all je jede jeder jedes jedem jeden alle allen daily hourly weekly monthly nightly yearly täglich stündlich wöchentlich monatlich nächtlich
	 jährlich`,
	opOutside:  `outside außerhalb`,
	opAdvise:   `should ought sollte sollten`,
	opOblige:   `must need needs needed require requires required mandatory obliged obligatory muss müssen verpflichtet nötig braucht`,
	opPermit:   `may can allowed permitted permits allows darf dürfen kann können erlaubt`,
	opFuture:   `will shall soon künftig demnächst`,
	opBeNow:    `is are ist sind wird werden`,
	opBePast:   `was were war waren wurde wurden`,
	opUntil:    `until till bis`,
	opSince:    `since seit ab`,
	opBefore:   `before prior ahead preceding precedes bevor ehe vorher zuvor`,
	opAfter:    `after afterwards following follows nachdem danach`,
	opWhile:    `while during während`,
	opWhen:     `when whenever if where once wenn falls sobald sofern`,
	opBecause:  `because due owing weil wegen aufgrund`,
	opStill:    `still weiterhin`,
	opAlready:  `already bereits schon`,
	opCap:      `cap capped caps limit limited limits maximum minimum max min least most restricted reserved least höchstens maximal mindestens begrenzt beschränkt`,
	opSequence: `then next dann danach anschließend`,
	opTwo:      `two zwei and und`,
	opMere:     `just yet`,
	opAll:      `all alle allen sämtliche`,
	opBy:       `by`,
	opRest:     `else elsewhere rest remaining remainder nowhere otherwise sonst übrigen übrige rest`,
	opOther:    `other another others andere anderen anderer anderes weitere weiteren`,
})

func readOps(lists map[op]string) map[string]op {
	out := make(map[string]op)
	for o, words := range lists {
		for w := range strings.FieldsSeq(words) {
			out[w] |= o
		}
	}
	return out
}

// role is what a preposition makes of the word behind it.
type role uint8

const (
	roleSource role = iota
	roleGoal
	roleUntil
	roleAgent
	roleBenefit
	roleWith
	roleWithout
	roleBefore
	roleAfter
	roleSubject // of German: in the nominative or accusative
	roleDative
)

var prepositions = map[string]role{
	"from": roleSource, "out": roleSource, "off": roleSource, "aus": roleSource, "ab": roleSource, "von": roleSource, "vom": roleSource,
	"to": roleGoal, "into": roleGoal, "onto": roleGoal, "zum": roleGoal, "zur": roleGoal,
	"until": roleUntil, "till": roleUntil, "bis": roleUntil, "by": roleAgent, "for": roleBenefit,
	"with": roleWith, "mit": roleWith, "without": roleWithout, "ohne": roleWithout,
	"before": roleBefore, "vor": roleBefore, "bevor": roleBefore, "after": roleAfter, "nach": roleAfter, "nachdem": roleAfter,
	"das": roleSubject, "dem": roleDative,
}

// placed is a word in a role.
type placed struct {
	role role
	word string
}

// numbered is a noun behind a word that says whether it is one or several.
type numbered struct {
	noun   string
	plural bool
}

// remains are what [Leftover] reads of a text.
type remains struct {
	ops     op
	placed  []placed
	numbers []numbered
	words   []string // function words that are no fillers
	listed  []string // all words but articles, the members of each list sorted
	german  bool
}

func (r *remains) has(o op) bool { return r.ops&o != 0 }

// remainsOf reads a text; the words of a stamp are no part of the statement.
func remainsOf(t *Text) *remains {
	tokens, stamps := t.Scanned()
	r := &remains{german: t.Doc.German}
	for i, tok := range tokens {
		if stamps[i] || tok.Code || tok.Quote != 0 {
			continue
		}
		r.ops |= opAt(tokens, i)
		if w := tok.Value; tok.Class == memory.TokenWord && (language.Function(w, language.Open) || ops[w] != 0) && !fillers[w] {
			r.words = append(r.words, w)
		}
		if tok.Class == memory.TokenNumber && tok.End < len(t.Clean) && t.Clean[tok.End] == '+' {
			r.ops |= opAtLeast
		}
		if p, ok := prepositions[tok.Value]; ok && (r.german || p < roleSubject) {
			if p == roleWith && i+1 < len(tokens) && withNone[tokens[i+1].Value] {
				p = roleWithout // "with no key"
			}
			r.place(tokens, i, p)
		}
		if plural, ok := numberWords[tok.Value]; ok && !r.german {
			r.number(tokens, i, plural)
		}
	}
	r.listed = listed(tokens, stamps)
	return r
}

// listed returns the words of a text without articles, the members of each list of single
// words sorted.
func listed(tokens []memory.Token, stamps []bool) []string {
	var out []string
	members := 0 // at the end of out
	flush := func() {
		slices.Sort(out[len(out)-members:])
		members = 0
	}
	joined := false
	for i, t := range tokens {
		switch {
		case stamps[i] || articles[t.Value]:
			continue
		case joins[t.Value]:
			joined = true
			continue
		case !joined && t.Sep != ',':
			flush()
		}
		joined = false
		out = append(out, t.Value)
		members++
	}
	flush()
	return out
}

// opAt returns the classes of the word at i, with those that it has by the words around it.
func opAt(tokens []memory.Token, i int) op {
	w := tokens[i].Value
	next, before := "", ""
	if i+1 < len(tokens) && tokens[i+1].Sep == 0 {
		next = tokens[i+1].Value
	}
	if i > 0 && tokens[i].Sep == 0 {
		before = tokens[i-1].Value
	}
	o := ops[w]
	if memory.Negates(w) && o&opUnless == 0 {
		o |= opNegation
	}
	if p, ok := shadePole(tokens, i); ok {
		switch p.member {
		case boundUpper:
			o |= opAtMost
		case boundLower:
			o |= opAtLeast
		}
	}
	if o&(opSome|opMany|opMost|opHalf) != 0 && !quantifies(tokens, i) {
		o &^= opSome | opMany | opMost | opHalf
	}
	if o&opOnly != 0 && slices.ContainsFunc(tokens[i+1:min(len(tokens), i+conditionReach)], startsCondition) {
		o = o&^opOnly | opOnlyWhen // "only after": every wording of it has the condition
	}
	if o&(opBefore|opAfter) != 0 && next == "" {
		o &^= opBefore | opAfter // "was there before"
	}
	if (w == "between" || w == "zwischen") && i+1 < len(tokens) && ranged(tokens[i+1]) {
		o |= opRange
	}
	if o&opUntil != 0 && memory.IsUnit(before) {
		o = o&^opUntil | opAfter // "it took 51 minutes until" tells what was after them
	}
	if spans[w] && i > 0 && i+1 < len(tokens) && ranged(tokens[i-1]) && ranged(tokens[i+1]) {
		o |= opRange
	}
	switch {
	case w == "save" && (next == "those" || next == "for" || next == "where"), w == "apart" && next == "from", w == "other" && next == "than", w == "but" && (quantifiers[before] || before == "anything"):
		o |= opExcept
	case (w == "least" || w == "most") && before == "at":
		o = o&^opMost | opAtMost
		if w == "least" {
			o = o&^opAtMost | opAtLeast
		}
	case next == "to" && (w == "is" || w == "are" || w == "was" || w == "were"):
		o |= opPlan
	case w == "times" && before == "at", w == "time" && before == "from", w == "now" && next == "and" && i+2 < len(tokens) && tokens[i+2].Value == "then":
		o |= opSometimes
	case w == "order" && (before == "this" || before == "that"):
		o |= opSequence
	case w == "other" && before == "each":
		return o &^ opOther
	case w == "alone" && before == "let", w == "due" && next != "to":
		return o &^ (opMost | opOnly | opBecause)
	case w == "sei" && before == "es" && next == "denn":
		o |= opUnless
	case w == "could" && next == "have", w == "might" && next == "have":
		o |= opCouldHave
	case (w == "one" || w == "1") && next == "of", w == "eine" && next == "der", w == "einer" && next == "der":
		o |= opSome
	case (w == "a" || w == "an" || w == "am" || w == "im") && memory.IsUnit(next):
		o |= opEach
	case w == "have" && next == "to", w == "has" && next == "to":
		o |= opOblige
	case ordinals[w] && (before == "the" || before == "der" || before == "die" || before == "das" || before == "dem" || before == "den"):
		o |= opOrdinal
	}
	return o
}

// quantifies reports whether a thing follows the word at i: "few jobs", "half of them"; not
// "some 20", and not "they stay few".
func quantifies(tokens []memory.Token, i int) bool {
	if i+1 >= len(tokens) || tokens[i+1].Sep != 0 || tokens[i+1].Class == memory.TokenNumber {
		return false
	}
	next := tokens[i+1].Value
	if tokens[i].Value == "most" && next != "of" && !strings.HasSuffix(next, "s") && !clauseStart(tokens, i) {
		return false // "the most specific"
	}
	return next == "of" || next == "the" || next == "der" || !slight[next] && ops[next] == 0
}

// startsCondition reports a word that begins a condition. "Once" is read as a number.
func startsCondition(t memory.Token) bool {
	return conditionStarts[t.Value] || t.Class == memory.TokenNumber && t.Value == "1" && t.End-t.Start == len("once")
}

// conditionReach is how far behind "only" its condition begins: "only picks up a new file after".
const conditionReach = 8

// spans are words between the ends of a range.
var spans = memory.WordSet(`to through until till bis`)

// ranged reports a day, a month or a number.
func ranged(t memory.Token) bool {
	if t.Class == memory.TokenNumber {
		return true
	}
	p, ok := poleOf(t.Value)
	return ok && p.family <= familyMonths
}

// familyMonths is the last of the first families of opposites, which are days and months.
const familyMonths = 1

var ordinals = memory.WordSet(`first second third fourth last erste ersten zweite zweiten dritte dritten letzte letzten`)

// place records the words that stand in a role: those behind the preposition up to the
// next small word.
func (r *remains) place(tokens []memory.Token, i int, p role) {
	if tokens[i].Value == "off" && i > 0 && tokens[i-1].Value == "is" {
		return
	}
	from := i + 1
	if tokens[i].Value == "out" {
		if from == len(tokens) || tokens[from].Value != "of" {
			return
		}
		from++
	}
	for j := from; j < len(tokens) && j < from+4; j++ {
		t := &tokens[j]
		if articles[t.Value] && j == from {
			continue
		}
		if t.Value == "1" || t.Value == "ones" {
			return // "the last one" is any
		}
		if j > from && t.Sep != 0 || t.Class == memory.TokenWord && !t.Code && (slight[t.Value] || ops[t.Value] != 0 || endsSubject[t.Value]) {
			return
		}
		if _, ok := prepositions[t.Value]; ok {
			return
		}
		r.placed = append(r.placed, placed{p, memory.Stem(t.Value)})
		if p >= roleSubject {
			return // an article belongs to the next word
		}
	}
}

// withNone deny what is with something.
var withNone = memory.WordSet(`no neither keinem keiner keinen`)

var articles = memory.WordSet(`the a an its their our der die das den dem des ein eine einen einem einer seine ihre`)

// numberWords say that one thing follows, or several.
var numberWords = map[string]bool{"a": false, "an": false, "one": false, "1": false, "its": false, "the": false, "this": false, "that": false, "these": true, "all": true, "both": true, "several": true}

// number records the nouns behind the determiner at i: up to three words, since nouns are
// compounds ("the ticket machine").
func (r *remains) number(tokens []memory.Token, i int, plural bool) {
	for j := i + 1; j < len(tokens) && j < i+4; j++ {
		t := &tokens[j]
		if t.Sep != 0 || t.Class != memory.TokenWord || t.Code || slight[t.Value] || ops[t.Value] != 0 {
			return
		}
		w := t.Value
		if len(w) < 4 {
			continue
		}
		ends := strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is")
		if ends {
			w = w[:len(w)-1]
		}
		r.numbers = append(r.numbers, numbered{w, ends || plural && j == i+1})
	}
}

// fillers are function words that one of two equal sentences may have alone. What a
// preposition says is compared by the roles.
var fillers = memory.WordSet(`the a an of in on at to for from with by as into onto upon is are was were be been being am has have had having do does did doing
 that which who whom whose this these those it its itself there here so also too very and we our us you your they their them he she his her i me my get gets got
 up most least more less fewer than then no not nor both beide beiden per pro any since seit about around etwa rund
 der die das den dem des ein eine einen einem einer eines im am in an auf aus bei beim mit von vom zu zum zur für ist sind war waren sein wird werden wurde wurden
 worden hat haben hatte hatten dass daß welche welcher welches dieser diese dieses diesem diesen es er sie wir ihr ihre ihren uns unser unsere man sich so auch sehr und da dort
 seine seinen seiner nicht kein keine keinen mehr`)
