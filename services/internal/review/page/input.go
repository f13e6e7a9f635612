package page

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Input is everything that a digest is made of.
type Input struct {
	// Digest is who and when: id, tenant, reviewer, slot, code, language, the
	// time it reports and when it was made and expires. Text, items and spots
	// are what Compose adds.
	Digest memory.Digest

	// Waiting is what waits for this reviewer, in any order. Text from outside
	// is counted only, so the caller may pass it or leave it out.
	Waiting []Question
	// Outside counts what waits and comes from outside, beyond Waiting.
	Outside int
	// Expired counts what expired unanswered since the last digest, and
	// ExpireAfter is the time it had.
	Expired     int
	ExpireAfter time.Duration

	Counts Counts
	// Promoted are memories that were made without a person, for a spot check;
	// PromotedTotal is how many there were, if the list has not all of them.
	Promoted      []Spot
	PromotedTotal int

	// Reviewed and Overrode measure the recommendations: how many a person
	// answered, and how many of these otherwise than recommended.
	Reviewed, Overrode int
	// RulesOff are the ids of rules that stopped acting by themselves because
	// people disagreed with them too often.
	RulesOff []string
	// Oldest is the age of the oldest undecided question; 0 leaves it out.
	Oldest time.Duration

	// Scopes are what the reviewer answers for. With more than one, questions
	// and spot checks say theirs.
	Scopes    []memory.Scope
	ReviewURL string         // page that shows the same; empty for none
	Zone      *time.Location // of dates in the text; nil is UTC

	// MaxItems and MaxWords bound the digest; 0 is the default of [Config].
	MaxItems, MaxWords int
}

// Counts says what triage did by itself since the last digest.
type Counts struct {
	Promoted, Rejected, Merged int
	RejectedBy                 map[string]int // by the id of the rule
}

// Question is a proposal that only a person can decide.
type Question struct {
	Proposal memory.Proposal
	Decision memory.Decision // the one in force, which sent it to a person
	Against  string          // text of Decision.Target: what it differs from or would replace
}

// Spot is a memory that was made without a person.
type Spot struct {
	MemoryID   string
	DecisionID string
	Text       string
	Rule       string // the id of the rule that promoted it
	Scope      memory.Scope
	Authority  memory.Origin // links of what no registered publisher said are not shown as links
}
