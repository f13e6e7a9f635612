package memory

import (
	"fmt"
	"slices"
)

// Kind is the category of a memory's content. The kind determines who may promote
// a text: rules, conventions and preferences always need a person (SPEC §6).
type Kind string

// The kinds. KindSummaryArchived is the archived type of a topic summary
// (S2.20); an empty kind is not known yet.
const (
	KindFact            Kind = "fact"
	KindDecision        Kind = "decision"
	KindPreference      Kind = "preference"
	KindConvention      Kind = "convention"
	KindRule            Kind = "rule"
	KindStrategy        Kind = "strategy"
	KindTask            Kind = "task"
	KindSummary         Kind = "summary"
	KindSummaryArchived Kind = "summary_archived"
)

// Kinds lists the kinds that a publisher may name.
func Kinds() []Kind {
	return []Kind{KindFact, KindDecision, KindPreference, KindConvention, KindRule, KindStrategy, KindTask, KindSummary}
}

// ParseKind validates a kind from outside; empty is allowed and means unknown.
func ParseKind(s string) (Kind, error) {
	if s == "" || slices.Contains(Kinds(), Kind(s)) {
		return Kind(s), nil
	}
	return "", fmt.Errorf("kind %q: want one of %v", s, Kinds())
}

// DefaultSections returns the default headings of MEMORY.md, in order (S3.35).
func DefaultSections() []string {
	return []string{"Conventions", "Hard Rules", "Preferences", "Patterns", "System Architecture", "Notes"}
}

// SectionFor returns the heading of a memory of this kind when its proposal named
// none.
func SectionFor(k Kind) string {
	switch k {
	case KindRule:
		return "Hard Rules"
	case KindConvention:
		return "Conventions"
	case KindPreference:
		return "Preferences"
	case KindStrategy:
		return "Patterns"
	case KindDecision:
		return "System Architecture"
	default:
		return "Notes"
	}
}
