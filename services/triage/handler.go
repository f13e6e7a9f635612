package triage

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// handler is one process's triage: what it prepares with, and the lanes it
// remembers.
type handler struct {
	store    echoes
	hearing  *hearing
	redactor *redact.Redactor
	analyzer *wording.Analyzer
	now      func() time.Time
	newID    func(prefix string) string
	lanes    *laneCache
	metrics  *metrics
}

var _ worker.Stopper = (*handler)(nil)

// echoes is what triage reads before it locks anything.
type echoes interface {
	ServedIn(ctx context.Context, tenant memory.Tenant, sessions ...string) ([]store.Served, error)
	Memories(ctx context.Context, tenant memory.Tenant, q store.MemoryQuery) ([]memory.Memory, error)
}

func newHandler(d worker.Deps) (worker.Handler, error) {
	policies, err := newPolicies(Settings.Of(d).forScopes())
	if err != nil {
		return nil, fmt.Errorf("triage: %w", err)
	}
	analyzer, err := wording.NewEmbeddingAnalyzer(d.Meaning)
	if err != nil {
		d.Log.Warn("triage compares by words alone", zap.Error(err))
	}
	h := &handler{
		store: d.Store, hearing: &hearing{sessions: d.Store, trust: Trust.Of(d), words: lexical.NewAnalyzer()},
		redactor: d.Redactor, analyzer: analyzer, now: d.Now, newID: d.NewID,
		lanes:   newLaneCache(Lanes.Of(d), d.Store, policies, analyzer, d.NewID),
		metrics: newMetrics(d.Metrics),
	}
	h.lanes.log, h.lanes.metrics = d.Log, h.metrics
	if d.Index != nil && d.Truth != nil {
		h.lanes.index = &neighbours{index: d.Index, words: d.Truth.Analyzer, begin: h.lanes.beside}
		if analyzer.Embeds() {
			h.lanes.index.model = d.Meaning.ID()
		}
	}
	return h, nil
}

// Stop implements [worker.Stopper]: it ends the loads of large lanes.
func (h *handler) Stop() { h.lanes.close() }

// Prepare implements [worker.Handler]: it reads, clamps, redacts, analyses and
// embeds, and loads the lanes that are missing, which is most of the work, without
// holding any lock.
func (h *handler) Prepare(ctx context.Context, tenant memory.Tenant, events []worker.Event) (worker.Plan, error) {
	p := &plan{
		handler: h, tenant: tenant, refused: make(map[int]error),
		scopes: make([]memory.Scope, len(events)), items: make([]prepared, len(events)),
	}
	for i, e := range events {
		s, err := intake(e, h.redactor, h.newID)
		if err != nil {
			p.refused[i] = err
			continue
		}
		h.metrics.submitted(&s)
		p.scopes[i] = s.proposal.Scope
		p.items[i] = prepared{
			item:    judge.Item{Proposal: s.proposal, Evidence: s.evidence, Text: h.analyzer.Text(s.proposal.Text)},
			eventID: e.ID,
		}
	}
	if err := h.served(ctx, tenant, p.items); err != nil {
		return nil, err
	}
	p.named = names(p.items)
	var err error
	if p.heard, err = h.hearing.lower(ctx, tenant, p.named, p.items); err != nil {
		return nil, err
	}
	if err := p.pin(ctx, events); err != nil {
		return nil, err
	}
	return p, nil
}

// pin gets the lanes of the batch. Events of a scope that has none for now leave
// the batch, to come back.
func (p *plan) pin(ctx context.Context, events []worker.Event) (err error) {
	mine := make(map[memory.Scope][]int)
	for i, scope := range p.scopes {
		if scope != "" {
			mine[scope] = append(mine[scope], i)
		}
	}
	if p.held, err = p.handler.lanes.pin(ctx, p.tenant, slices.Sorted(maps.Keys(mine))); err != nil {
		return fmt.Errorf("triage: %w", err)
	}
	put := func(scope memory.Scope, err error) {
		for _, i := range mine[scope] {
			p.refused[i], p.scopes[i] = err, ""
		}
	}
	for scope, err := range p.held.later {
		put(scope, err)
	}
	p.asked = make(map[memory.Scope]*asked)
	for scope, l := range p.held.lanes {
		if !l.key.narrow {
			continue
		}
		texts, attempt := make([]*wording.Text, 0, len(mine[scope])), 0
		for _, i := range mine[scope] {
			texts, attempt = append(texts, p.items[i].item.Text), max(attempt, events[i].Attempt)
		}
		a, err := p.handler.lanes.index.near(ctx, p.tenant, scope, texts)
		if err != nil {
			put(scope, unanswered(attempt, fmt.Errorf("triage: %w", err)))
			continue
		}
		p.asked[scope] = a
	}
	return nil
}

// prepared is one event that can be judged.
type prepared struct {
	item    judge.Item
	eventID string
}

// plan is a prepared batch of one tenant.
type plan struct {
	handler *handler
	tenant  memory.Tenant
	scopes  []memory.Scope
	refused map[int]error
	items   []prepared
	// named are the sessions that the texts name, heard those of them that the
	// texts were held against.
	named []change.SessionName
	heard []store.HeardSession

	held      *heldLanes              // until Done
	asked     map[memory.Scope]*asked // of scopes with a narrow lane
	decisions []memory.Decision
}

// Scopes implements [worker.Plan].
func (p *plan) Scopes() []memory.Scope { return p.scopes }

// Refused implements [worker.Plan].
func (p *plan) Refused() map[int]error { return p.refused }

// Decide implements [worker.Plan]: it brings the lanes up to date and judges
// the fresh proposals of a scope one after the other, each in the world that
// the one before it left. Scopes do not see each other, so they are judged side
// by side; the change lists them in the order of the batch all the same.
func (p *plan) Decide(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error) {
	if err := p.unheard(ctx, view); err != nil {
		return change.Set{}, err
	}
	groups := byScope(p.scopes, fresh)
	if err := p.held.refresh(ctx, slices.Collect(maps.Keys(groups)), view, p.asked); err != nil {
		return change.Set{}, err
	}

	verdicts := make([]verdict, len(p.items))
	var judging errgroup.Group
	judging.SetLimit(runtime.GOMAXPROCS(0))
	now := p.handler.now()
	for scope, mine := range groups {
		lane := p.held.lanes[scope]
		judging.Go(func() error {
			_, err := worker.Guarded(func() (struct{}, error) {
				for _, i := range mine {
					verdicts[i].decision, verdicts[i].outcome = lane.Judge(p.items[i].item, now)
				}
				return struct{}{}, nil
			})
			return err
		})
	}
	if err := judging.Wait(); err != nil {
		return change.Set{}, fmt.Errorf("judge: %w", err)
	}

	set := change.Set{Policies: p.held.newPolicies()}
	for _, i := range fresh {
		addTo(&set, verdicts[i].decision, &verdicts[i].outcome, p.items[i].eventID, p.handler.newID)
		p.decisions = append(p.decisions, verdicts[i].decision)
	}
	return set, nil
}

// verdict is what became of one proposal.
type verdict struct {
	decision memory.Decision
	outcome  judge.Outcome
}

// byScope groups the fresh events by their lane, in order.
func byScope(scopes []memory.Scope, fresh []int) map[memory.Scope][]int {
	groups := make(map[memory.Scope][]int)
	for _, i := range fresh {
		groups[scopes[i]] = append(groups[scopes[i]], i)
	}
	return groups
}

// Done implements [worker.Plan]. Lanes that judged in vain hold verdicts that
// never came into force, so they are forgotten.
func (p *plan) Done(committed bool) {
	p.held.release(committed)
	if committed {
		p.handler.metrics.decided(p.decisions)
	}
}
