package triage

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// besideIndex is what decisions in a narrow lane say of where the rest came from.
const besideIndex = "index"

// neighbours asks the index which memories of a scope are worth comparing with a
// text. What it names is read anew under the lock, so an index that is behind can
// miss a row and never brings back one that is gone.
type neighbours struct {
	index vector.Backend
	words *search.Analyzer
	model string // whose vectors texts have, empty for none
}

const (
	// neighboursWanted is how many memories each list of the index names for a
	// text: twice what a lane compares in full.
	neighboursWanted = 16
	// neighboursAtOnce is how many questions a batch asks at once.
	neighboursAtOnce = 8
	// neighboursWithin is how long a batch waits for the index. Its events come
	// back when that is over, and others do not wait for them.
	neighboursWithin = 2 * time.Second
)

// asked is what was found out of a scope before its lock: what its narrow lane
// lacks.
type asked struct {
	ids    map[string]bool
	hashes []memory.TextHash
}

// missing are the ids that the lane does not have.
func (a *asked) missing(l *cachedLane) []string {
	var out []string
	for id := range a.ids {
		if !l.Has(id) {
			out = append(out, id)
		}
	}
	return out
}

// near asks for the neighbours of some texts of one scope.
func (n *neighbours) near(ctx context.Context, tenant memory.Tenant, scope memory.Scope, texts []*wording.Text) (*asked, error) {
	ctx, cancel := context.WithTimeout(ctx, neighboursWithin)
	defer cancel()
	g, err := n.index.Active(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the index: %w", err)
	}
	index, err := n.index.Open(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("ask the index: %w", err)
	}
	within := vector.Within(tenant, scope).States(vector.Active)
	found := make([]vector.Lists, len(texts))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(neighboursAtOnce)
	for i, t := range texts {
		q := vector.Query{Terms: n.words.Query(t.Clean), Limit: neighboursWanted}
		if g.Model == n.model && g.Dim == len(t.Vector) {
			q.Dense = t.Vector
		}
		if q.Dense == nil && len(q.Terms) == 0 {
			continue
		}
		asking.Go(func() (err error) {
			found[i], err = index.Search(ctx, within, q)
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, fmt.Errorf("ask the index: %w", err)
	}
	a, seen := &asked{ids: make(map[string]bool)}, make(map[memory.TextHash]bool)
	for i, t := range texts {
		for _, hits := range [][]vector.Hit{found[i].Dense, found[i].Lexical} {
			for _, hit := range hits {
				a.ids[hit.ID] = true
			}
		}
		if h := memory.HashNormal(t.Normal); h != (memory.TextHash{}) && !seen[h] {
			seen[h] = true
			a.hashes = append(a.hashes, h)
		}
	}
	return a, nil
}

// unanswered asks for another delivery of what the index did not answer. The pause
// grows with the attempts, so that an outage of a day costs no event.
func unanswered(attempt int, err error) error {
	return worker.Snooze(min(5*time.Second<<min(attempt, 10), 10*time.Minute), err)
}
