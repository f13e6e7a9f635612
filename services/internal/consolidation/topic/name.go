package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// MaxName is the longest name of a topic, in characters.
	MaxName = 60
	// maxTopics and maxMacros bound the topics of one memory: a text about everything
	// is about nothing.
	maxTopics = 5
	maxMacros = 2
)

// Name returns the normal form of a topic's name: "Auth", "#auth" and " auth " are
// one topic, and so are "rate limiting" and "rate_limiting". Empty means that the
// text cannot be a name: nothing is left, or it is too long.
func Name(s string) string {
	var b strings.Builder
	pending := false
	for _, r := range strings.ToLower(memory.Clean(s)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("./+", r) && b.Len() > 0, r == '#' && b.Len() > 0:
			if pending {
				b.WriteByte('-')
				pending = false
			}
			b.WriteRune(r)
		case b.Len() > 0:
			pending = true
		}
	}
	name := strings.TrimRight(b.String(), "./-")
	if utf8.RuneCountInString(name) > MaxName || !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return name
}

// names returns the normal forms of a list, each once, at most most, in their order:
// the first ones are those that the author thought of first.
func names(list []string, most int, skip func(string) bool) []string {
	var out []string
	for _, s := range list {
		name := Name(s)
		if name == "" || skip != nil && skip(name) || slices.Contains(out, name) {
			continue
		}
		if out = append(out, name); len(out) == most {
			break
		}
	}
	return out
}

// Text is what topics are drawn from.
type Text struct {
	Topics, Macros []string // as the publisher gave them
	Tags           []string
	Title, Body    string
}

// Of returns the topics and the macro topics of a text, normalised and few. What the
// publisher gave stands. Otherwise topics are the tags that name a thing, and macro
// topics the themes whose words the text and its tags use. The result depends on
// nothing else, so that the same text has the same topics at all times.
func Of(t Text) (topics, macros []string) {
	if topics = names(t.Topics, maxTopics, nil); len(topics) == 0 {
		topics = names(t.Tags, maxTopics, label)
	}
	if macros = names(t.Macros, maxTopics, nil); len(macros) == 0 {
		macros = slices.DeleteFunc(themes(t), func(m string) bool { return slices.Contains(topics, m) })
	}
	return topics, macros
}

// label reports a tag that says what sort of note this is, who made it or what Winnow
// did with it, and not what it is about.
func label(name string) bool { return labels[name] || strings.HasPrefix(name, "workflow-") }

var labels = memory.WordSet("pinned consolidated superseded workflow lesson lessons learned learning note notes todo tip tips bug bugs fix fixed " +
	"bugfix decision decisions fact facts rule rules preference preferences convention conventions strategy task tasks " +
	"important misc general info imported import adopted agent human success failure memory memories observation " +
	"notiz wichtig fehler entscheidung regel aufgabe")

// Words returns the words of a question in the form in which a topic is looked for in
// it, each once and at most 32: what is stored of a search. The text must have no
// secrets.
func Words(question string) []string {
	const most = 32
	var out []string
	for _, t := range memory.Scan(memory.Clean(question)) {
		if word := Name(t.Value); word != "" && !slices.Contains(out, word) {
			if out = append(out, word); len(out) == most {
				break
			}
		}
	}
	return out
}

// Names reports whether a question of these words asks for a topic: it has every word
// of the topic's name.
func Names(words []string, topic string) bool {
	for part := range strings.SplitSeq(topic, "-") {
		if !slices.ContainsFunc(words, func(w string) bool {
			return w == topic || sameWord(w, part) || slices.Contains(strings.Split(w, "-"), part)
		}) {
			return false
		}
	}
	return true
}

func sameWord(a, b string) bool { return a == b || memory.Stem(a) == memory.Stem(b) }
