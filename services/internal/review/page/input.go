package page

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Input is everything that a digest is composed of.
type Input struct {
	// Digest holds the id, tenant, reviewer, slot, code, language, the reported period,
	// and when it was made and expires. Compose adds text, items and spots.
	Digest memory.Digest

	// Waiting are the proposals that wait for this reviewer, in any order. Text from
	// outside is only counted, so the caller may leave it out.
	Waiting []Question
	// Outside counts waiting proposals from outside, beyond Waiting.
	Outside int
	// Expired counts the proposals that expired unanswered since the last digest, after
	// ExpireAfter.
	Expired     int
	ExpireAfter time.Duration

	Counts Counts
	// Promoted are memories that were made without a person, for spot checks;
	// PromotedTotal is their number where the list is not complete.
	Promoted      []Spot
	PromotedTotal int

	// Merged are the runs that merged or archived memories since the last digest and that
	// are in force, in any order. Pruned counts what was archived beside them because it
	// did not prove itself.
	Merged []Merged
	Pruned int

	// Reviewed and Overrode measure the recommendations: how many people answered, and
	// how many of them otherwise than recommended.
	Reviewed, Overrode int
	// RulesOff are the ids of rules that were turned off because people disagreed with
	// them too often.
	RulesOff []string
	// Oldest is the age of the oldest undecided question; 0 leaves it out.
	Oldest time.Duration

	// Scopes are the scopes that the reviewer answers for. With more than one,
	// questions and spot checks name theirs.
	Scopes    []memory.Scope
	ReviewURL string         // web page with the same questions; empty for none
	Zone      *time.Location // of dates in the text; nil is UTC

	// MaxItems and MaxWords bound the digest; 0 is the default of [Config].
	MaxItems, MaxWords int
}

// Counts are triage's own decisions since the last digest.
type Counts struct {
	Promoted, Rejected, Merged int
	RejectedBy                 map[string]int // by the id of the rule
}

// Question is a proposal that only a person can decide.
type Question struct {
	Proposal memory.Proposal
	Decision memory.Decision // the one in force, which sent it to a person
	Against  string          // text of Decision.Target, which the proposal differs from or would replace
	Merges   []string        // of an offer: titles of the memories that its text would stand for
}

// Spot is a memory that was made without a person.
type Spot struct {
	MemoryID   string
	DecisionID string
	Text       string
	Rule       string // the id of the rule that promoted it
	Scope      memory.Scope
	Authority  memory.Origin // decides whether links are shown as links
}
