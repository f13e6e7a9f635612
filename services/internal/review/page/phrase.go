package page

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// The languages of digests.
const (
	LanguageEnglish = "en"
	LanguageGerman  = "de"
)

// Languages lists the languages that a digest can be in.
func Languages() []string { return []string{LanguageEnglish, LanguageGerman} }

var languages = map[string]*phrases{LanguageEnglish: &english, LanguageGerman: &german}

// phrasesOf returns the phrases of a language, or English for an unknown one, because a
// digest in the wrong language is better than none.
func phrasesOf(language string) *phrases {
	if w, known := languages[language]; known {
		return w
	}
	return &english
}

// Grammar explains to a person what a reply may say, one form a line.
func Grammar(language string) string { return phrasesOf(language).grammar }

// phrases holds all text of one language. The comment of a field names the values for
// its %d and %s, in order.
type phrases struct {
	header  string // counts of promoted, rejected, merged, asked; without the colon
	nothing string
	item    string // number, section, text, recommendation
	advice  map[memory.Advice]string
	// reasons are by rule, and replace the decision's own reason, which is English.
	reasons map[string]string
	rules   map[string]string // a few words by rule

	origin        map[memory.Origin]string
	session, seen string // session id; times
	date          string // layout of package time
	stored, open  string // text of what is stored, or waits as well
	either        string // which of two texts holds
	merges        string // number and titles of what the text would stand for

	more, tooLong, outside plural
	expired                plural // and days
	oldest                 plural // days
	merged                 string // how many became how many
	became                 string // sources, products
	letGo, pruned          plural // memories
	mergedInto, mergedOne  string // one of the new memories, or the only one
	mergedUndo             string // the run's id
	spots, spotsOf         string // nothing; shown and total
	why, override          string // list; overrode, reviewed, per cent
	ruleOff                string // the rule in words, its id

	reply, except, yes, no, text, later, undo, code string
	page                                            string // address
	grammar                                         string // all forms of a reply

	done                                                string // list
	promoted, edited, replaced, rejected, left, already string // numbers
	kept, retracted                                     string // spot checks
	undoWithin                                          string // duration
	nothingDone, postponed                              string
	undone                                              plural
	notUnderstood, understood                           string // what; list
	complaints                                          map[Why]string
	unknownItem                                         string // list of numbers
	moved                                               string // list of what happened
	states                                              map[memory.ProposalState]string
	elsewhere                                           string
	foreign, lapsed                                     string
}

// plural is a phrase that begins with a number.
type plural struct{ one, many string }

func (p plural) of(n int, more ...any) string {
	format := p.many
	if n == 1 {
		format = p.one
	}
	return fmt.Sprintf(format, append([]any{n}, more...)...)
}
