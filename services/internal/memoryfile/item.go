package memoryfile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// TagPinned marks a memory that a person wants loaded at any value.
const TagPinned = memory.TagPinned

// Item is one memory as a file shows it.
type Item struct {
	ID            string
	Section       string
	Text          string
	Kind          memory.Kind
	Importance    int     // 1–10
	Confidence    float64 // 0–1
	Seen          int
	CreatedAt     time.Time
	ObservedAt    time.Time // zero when unknown
	LastConfirmed time.Time
	Pinned        bool
}

// ItemOf returns a memory as an item. A title, as strategies have one, becomes a bold
// label before the text.
func ItemOf(m memory.Memory) Item {
	text := m.Text
	if m.Title != "" && !strings.Contains(text, m.Title) {
		text = "**" + m.Title + "**: " + text
	}
	return Item{
		ID: m.ID, Section: m.Section, Text: text, Kind: m.Kind, Importance: m.Importance, Confidence: m.Confidence,
		Seen: m.SeenCount, CreatedAt: m.CreatedAt, ObservedAt: m.ObservedAt, LastConfirmed: m.LastConfirmed,
		Pinned: slices.Contains(m.Tags, TagPinned),
	}
}

// loaded reports whether a memory belongs into a file that is loaded at every start
// (SPEC §1): facts, decisions, conventions, rules and preferences. Strategies are found by search unless a person
// pinned them; tasks end, and summaries are read whole.
func loaded(i Item) bool {
	switch i.Kind {
	case memory.KindFact, memory.KindDecision, memory.KindConvention, memory.KindRule, memory.KindPreference, "":
		return true
	case memory.KindStrategy:
		return i.Pinned
	}
	return false
}

// value orders items by their worth for the budget: negative when a is worth more.
// Pinned items come first. Then importance weighted by confidence, because a doubtful
// important item is worth as much as a certain minor one; then rules, because an agent
// that misses a fact can look it up and one that misses a rule breaks it; then items
// seen more often, confirmed later, and the older id.
func value(a, b Item) int {
	weight := func(i Item) float64 { return float64(i.Importance) * i.Confidence }
	return cmp.Or(
		-compareBool(a.Pinned, b.Pinned),
		-cmp.Compare(weight(a), weight(b)),
		-compareBool(obliges(a.Kind), obliges(b.Kind)),
		-cmp.Compare(a.Seen, b.Seen),
		-a.LastConfirmed.Compare(b.LastConfirmed),
		identity(a, b),
	)
}

func obliges(k memory.Kind) bool {
	return k == memory.KindRule || k == memory.KindConvention || k == memory.KindPreference
}

// reading orders the items of one section by when they were accepted. New ones come
// last, so that a file grows at the end of its sections and a commit shows one added
// line; an imported file stays in its order.
func reading(a, b Item) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), identity(a, b))
}

// identity makes the orders total: only equal items compare equal.
func identity(a, b Item) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Section, b.Section), cmp.Compare(a.Text, b.Text))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
