package survival

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// life writes what a person's agents note down: things that stay true, said in two ways,
// goals and what came of them, feelings, and what is true for a day. Every text has a
// number of its own, so that it can be found again.
type life struct {
	rng *rand.Rand
	n   int
}

// noteClass is what is true about a note. The simulated model mostly knows it.
type noteClass string

const (
	noteFact     noteClass = "fact"     // stays true
	notePlan     noteClass = "plan"     // a goal
	noteDeed     noteClass = "deed"     // a goal that was reached
	noteEmotion  noteClass = "emotion"  // fades after four weeks
	noteOutdated noteClass = "outdated" // true for a day
)

// note is one text with its truth.
type note struct {
	text, category string
	class          noteClass
	key            string   // notes of one key may become one
	merged         string   // the text that they may become
	marks          []string // what must be found again, wherever the note's words went
}

var (
	lifeNames  = []string{"Abel", "Berit", "Cem", "Dunja", "Edda", "Falk", "Grete", "Henk", "Ines", "Jorin", "Kaya", "Levin", "Mila", "Noor", "Oskar", "Paula", "Quirin", "Runa", "Silas", "Tilda", "Ulla", "Viggo", "Wanda", "Xenia", "Yusuf", "Zora"}
	lifePlaces = []string{"Aachen", "Bonn", "Celle", "Dresden", "Essen", "Fulda", "Gera", "Halle", "Ilmenau", "Jena", "Kiel", "Leer", "Mainz", "Neuss", "Oldenburg", "Passau", "Rostock", "Siegen", "Trier", "Ulm", "Viersen", "Worms", "Xanten", "Zwickau"}
	lifeTopics = []struct{ category, brief, full string }{
		{"health", "Sees the dentist Dr. {name} in {place}, house {n}.", "Sees the dentist Dr. {name} in {place}, house {n}, every {k} months."},
		{"family", "Has a cousin {name} in {place}, house {n}.", "Has a cousin {name} in {place}, house {n}, who keeps {k} horses."},
		{"work", "Wrote the report {n} with {name} for the office in {place}.", "Wrote the report {n} with {name} for the office in {place}, which has {k} chapters."},
		{"home", "Stores the key of garage {n} at {name}.", "Stores the key of garage {n} at {name} in {place}, together with {k} spare keys."},
		{"hobby", "Sings with {name} in choir {n}.", "Sings with {name} in choir {n} of {place}, in row {k}."},
		{"travel", "Stays at hotel {name} in room {n} when in {place}.", "Stays at hotel {name} in room {n} when in {place}, {k} nights at a time."},
	}
	lifeGoals = []struct{ plan, deed, done string }{
		{"Plans to run race {n} of {place}.", "Finished race {n} of {place}.", "Achieved: finished race {n} of {place}."},
		{"Wants to read volume {n} by {name}.", "Finished volume {n} by {name}.", "Achieved: finished volume {n} by {name}."},
		{"Plans to pass course {n} with {name}.", "Passed course {n} with {name}.", "Achieved: passed course {n} with {name}."},
	}
	lifeMoods  = []string{"Is sad about the row with {name} in house {n}.", "Feels nervous before talk {n} in {place}.", "Is annoyed by the noise from house {n}.", "Feels lonely since {name} left house {n}."}
	lifeMatter = []string{"Buys bread at stall {n} today.", "Waits for parcel {n} from {place} this afternoon.", "Meets {name} at gate {n} tonight."}
)

// fill writes a template with the values of the present number.
func (l *life) fill(template string) string {
	return strings.NewReplacer(
		"{name}", lifeNames[l.n*7%len(lifeNames)], "{place}", lifePlaces[l.n*5%len(lifePlaces)],
		"{n}", fmt.Sprint(100+l.n), "{k}", fmt.Sprint(2+l.n%9),
	).Replace(template)
}

func (l *life) marks() []string { return []string{fmt.Sprint(100 + l.n)} }

// fact writes a new thing, and the same again in other words and with more detail.
func (l *life) fact() (first, again note) {
	l.n++
	t := lifeTopics[l.rng.IntN(len(lifeTopics))]
	brief, full := l.fill(t.brief), l.fill(t.full)
	first = note{text: brief, category: t.category, class: noteFact, key: brief, merged: full, marks: l.marks()}
	again = first
	again.text = full
	return first, again
}

// goal writes a goal, and that it was reached.
func (l *life) goal() (plan, deed note) {
	l.n++
	g := lifeGoals[l.rng.IntN(len(lifeGoals))]
	plan = note{text: l.fill(g.plan), category: "plans", class: notePlan, merged: l.fill(g.done), marks: l.marks()}
	plan.key = plan.text
	deed = plan
	deed.text, deed.class = l.fill(g.deed), noteDeed
	return plan, deed
}

// passing writes something that will be of no use.
func (l *life) passing(templates []string, category string, class noteClass) note {
	l.n++
	text := l.fill(templates[l.rng.IntN(len(templates))])
	return note{text: text, category: category, class: class, key: text, merged: text, marks: l.marks()}
}

func (l *life) mood() note   { return l.passing(lifeMoods, "emotion", noteEmotion) }
func (l *life) errand() note { return l.passing(lifeMatter, "errand", noteOutdated) }
