package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
)

// Status summarises the installation.
type Status struct {
	Proposals   map[string]int `json:"proposals"`
	Memories    map[string]int `json:"memories"`
	Rules       []RuleLine     `json:"rules"`
	Scopes      int            `json:"scopes"`
	Outbox      int64          `json:"outbox_waiting"`
	OutboxAge   time.Duration  `json:"outbox_oldest_ns"`
	DeadLetters int            `json:"dead_letters"` // at most 1000 are counted
	Lag         []Lag          `json:"lag"`
}

// RuleLine counts one rule's decisions and the rate of overrides.
type RuleLine struct {
	Rule     string  `json:"rule"`
	Verdict  string  `json:"verdict"`
	Decided  int     `json:"decided"`
	Reviewed int     `json:"reviewed"`
	Overrode int     `json:"overrode"`
	Rate     float64 `json:"override_rate"` // 0 without a review
}

// Lag is the backlog of one worker.
type Lag struct {
	Worker  string `json:"worker"`
	Waiting int    `json:"waiting"`
	InHand  int    `json:"in_hand"`
	Problem string `json:"problem,omitempty"`
}

// Status returns counts of stored rows and of backlogs.
func (o *Ops) Status(ctx context.Context) (Status, error) {
	counts, err := o.Store.Counts(ctx, o.Tenant, time.Time{})
	if err != nil {
		return Status{}, fmt.Errorf("count: %w", err)
	}
	s := Status{Proposals: map[string]int{}, Memories: map[string]int{}, Rules: ruleLines(counts.Rules)}
	for k, n := range counts.Proposals {
		s.Proposals[string(k)] = n
	}
	for k, n := range counts.Memories {
		s.Memories[string(k)] = n
	}
	scopes, err := o.Store.Scopes(ctx, o.Tenant)
	if err != nil {
		return Status{}, fmt.Errorf("count scopes: %w", err)
	}
	s.Scopes = len(scopes)
	outbox, err := o.Store.OutboxStatus(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("look at the outbox: %w", err)
	}
	s.Outbox, s.OutboxAge = outbox.Waiting, outbox.Oldest
	letters, err := o.DeadLetters.List(ctx, 0, 1000)
	if err != nil {
		return Status{}, fmt.Errorf("count dead letters: %w", err)
	}
	s.DeadLetters = len(letters)
	return s, nil
}

func ruleLines(counts []store.RuleCount) []RuleLine {
	lines := make([]RuleLine, 0, len(counts))
	for _, c := range counts {
		l := RuleLine{Rule: c.Rule, Verdict: string(c.Verdict), Decided: c.Decided, Reviewed: c.Reviewed, Overrode: c.Overrode}
		if c.Reviewed > 0 {
			l.Rate = float64(c.Overrode) / float64(c.Reviewed)
		}
		lines = append(lines, l)
	}
	return lines
}
