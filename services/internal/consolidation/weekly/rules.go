package weekly

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// fading is the age of an emotion above which it may be archived (S1.9).
const fading = 28 * 24 * time.Hour

// tagPinned marks a memory that a person wants to stay.
const tagPinned = memory.TagPinned

// fixed returns why a memory must not be touched by this strategy, or "". What a person
// set stands until a person changes it (SPEC §3, §6): pinned memories, and the rules,
// conventions and preferences that a person stated or approved. Summaries have a life of
// their own (S2), and a memory of a workflow belongs to it.
func fixed(m *memory.Memory) string {
	switch m.Kind {
	case memory.KindSummary, memory.KindSummaryArchived:
		return "it is a summary, which is replaced as a whole"
	case memory.KindRule, memory.KindConvention, memory.KindPreference:
		if m.Authority >= memory.OriginHuman {
			return "a person set it, and only a person changes it"
		}
	}
	if slices.Contains(m.Tags, tagPinned) {
		return "it is pinned"
	}
	if slices.ContainsFunc(m.Tags, func(t string) bool { return strings.HasPrefix(t, "workflow:") }) {
		return "it belongs to a workflow"
	}
	return ""
}

// undeletable returns why a memory must not be archived without a successor, or "".
func undeletable(m *memory.Memory, now time.Time) string {
	if why := fixed(m); why != "" {
		return why
	}
	if !isEmotion(m) {
		return ""
	}
	switch {
	case m.SeenCount > 1:
		return "it is an emotion that was repeated"
	case now.Sub(lastSeen(m)) <= fading:
		return "it is an emotion of the last four weeks"
	}
	return ""
}

// faded reports whether S1.9 asks for the deletion of a memory: an emotion older than four
// weeks that was stated once.
func faded(m *memory.Memory, now time.Time) bool {
	return isEmotion(m) && m.SeenCount <= 1 && now.Sub(lastSeen(m)) > fading
}

// trust separates memories by whose words they are: each origin below first-party is one
// of its own, so that nobody's words lower the authority of another's (D13).
func trust(o memory.Origin) memory.Origin { return min(o, memory.OriginFirstParty) }

// mixed returns why sources must not become one text, whatever they say (D13), or "".
// achieved excuses one difference: a goal that waits as a task and the fact that it was
// reached are of two kinds (S1.8).
func mixed(sources []memory.Memory, achieved bool) string {
	kind := func(m *memory.Memory) memory.Kind {
		if m.Kind == "" || achieved && m.Kind == memory.KindTask {
			return memory.KindFact
		}
		return m.Kind
	}
	first := &sources[0]
	for i := range sources {
		m := &sources[i]
		switch {
		case m.Tenant != first.Tenant || m.Scope != first.Scope:
			return "they are of two scopes"
		case kind(m) != kind(first):
			return fmt.Sprintf("they are of two kinds, %s and %s", kind(first), kind(m))
		case m.Outcome != first.Outcome:
			return "they come from work with different outcomes"
		case trust(m.Origin) != trust(first.Origin) || trust(m.Authority) != trust(first.Authority):
			return "they are of different trust"
		}
	}
	return ""
}

// strangers returns why sources have nothing to do with each other, or "". A text that
// joins them would lose nothing, but a search for one would find the other. The model's
// word that they are similar counts unless they are of two categories and no word of
// content connects them.
func strangers(sources []memory.Memory) string {
	var stems []map[string]bool
	for i := range sources {
		set := map[string]bool{}
		for _, t := range memory.Scan(textOf(&sources[i])) {
			if content(t) {
				set[memory.Stem(t.Value)] = true
			}
		}
		stems = append(stems, set)
	}
	for i := range sources {
		related := false
		for j := range sources {
			if i == j {
				continue
			}
			related = related || categoryOf(&sources[i]) == categoryOf(&sources[j]) || meet(stems[i], stems[j])
		}
		if !related {
			return "one of them has nothing in common with the others"
		}
	}
	return ""
}

func meet(a, b map[string]bool) bool {
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}

// vanished returns why a merged text does not stand for its sources, or "". Single details
// may be left to the archived source (D12); a source with details of which the text has none
// would be gone, whatever the model calls it (S1.7).
func vanished(sources []memory.Memory, text string) string {
	said := memory.Extract(text)
	for i := range sources {
		own := memory.Extract(sources[i].Text)
		details := slices.Concat(own.Values, own.Idents, own.URLs, own.Quotes)
		left := slices.ContainsFunc(details, func(d memory.Detail) bool { return said.Names(d.Text) })
		if len(details) > 0 && !left {
			return "the merged text has none of the details of one of them"
		}
	}
	return ""
}

// transformed decides S1.8 for one merge: whether the text turns a plan into something
// achieved, and why that is refused, or "". An achievement needs a memory that says so:
// neither a lapse of time nor two plans are one.
func transformed(sources []memory.Memory, text string) (achieved bool, refused string) {
	var plans, deeds []*memory.Memory
	for i := range sources {
		if m := &sources[i]; statesPlan(m) && !statesAchieved(m.Text) {
			plans = append(plans, m)
		} else {
			deeds = append(deeds, m)
		}
	}
	if len(plans) == 0 {
		if statesAchieved(text) && !slices.ContainsFunc(sources, func(m memory.Memory) bool { return happened(textOf(&m)) }) {
			return false, "it states an achievement that none of the memories does"
		}
		return false, ""
	}
	if says(text, planWords) && !statesAchieved(text) {
		return false, "" // still a plan
	}
	for _, p := range plans {
		if !slices.ContainsFunc(deeds, func(d *memory.Memory) bool { return fulfils(textOf(p), textOf(d)) }) {
			return false, "a plan would become an achievement, and none of the memories says that it was achieved"
		}
	}
	return true, ""
}

// importanceOf returns the importance of a merged memory: what the model says, but never
// less than that of a source (S0.58), and more than all of them where the statement was
// repeated (S1.5).
func importanceOf(sources []memory.Memory, suggested int) int {
	highest, seen := 1, 0
	for i := range sources {
		highest = max(highest, sources[i].Importance)
		seen += max(sources[i].SeenCount, 1)
	}
	if seen >= repeated {
		highest++
	}
	return min(max(suggested, highest), 10)
}

// repeated is how often something was stated, in one memory or several, to be a pattern.
const repeated = 3

// categoryFor returns the category of a merged memory. The model may choose among those
// that the user has, and for an achieved goal a new one, because that changes its category
// (S1.8). Any other name would make a category that nobody searches, so the first
// source's stays. The name of a kind is what uncategorised memories were shown as.
func categoryFor(sources []memory.Memory, suggested string, known map[string]bool, achieved bool) string {
	plain := suggested != "" && len([]rune(suggested)) <= maxCategory && strings.IndexFunc(suggested, notInCategory) < 0
	if plain && (known[suggested] || achieved && achievedCategory[strings.ToLower(suggested)]) {
		return suggested
	}
	return sources[0].Category
}

// achievedCategory are names for the category of achieved goals, EN and DE.
var achievedCategory = memory.WordSet(`achieved achievement achievements accomplished done completed erreicht hat_erreicht erfolg erfolge erledigt`)

func notInCategory(r rune) bool {
	return r != ' ' && r != '-' && r != '_' && r != '/' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("äöüßÄÖÜ", r)
}
