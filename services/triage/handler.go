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

// handler implements [worker.Handler] for one process. It holds what preparation
// reads with, and the lane cache.
type handler struct {
	store    servedReader
	lessons  store.Lessons
	sessions *sessionTrust
	redactor *redact.Redactor
	analyzer *wording.Analyzer
	now      func() time.Time
	newID    func(prefix string) string
	lanes    *laneCache
	metrics  *metrics
}

var _ worker.Stopper = (*handler)(nil)

// servedReader reads what Winnow showed in sessions. No lock is held.
type servedReader interface {
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
		store: d.Store, lessons: d.Store, sessions: &sessionTrust{reader: d.Store, trust: Trust.Of(d), words: lexical.NewAnalyzer()},
		redactor: d.Redactor, analyzer: analyzer, now: d.Now, newID: d.NewID,
		lanes:   newLaneCache(Lanes.Of(d), d.Store, policies, analyzer, d.NewID),
		metrics: newMetrics(d.Metrics),
	}
	h.lanes.log, h.lanes.metrics = d.Log, h.metrics
	if d.Index != nil && d.Truth != nil {
		h.lanes.index = &neighbours{index: d.Index, words: d.Truth.Analyzer, background: h.lanes.background}
		if analyzer.Embeds() {
			h.lanes.index.model = d.Meaning.ID()
		}
	}
	return h, nil
}

// Stop implements [worker.Stopper]: it ends the loads of large lanes.
func (h *handler) Stop() { h.lanes.close() }

// Prepare implements [worker.Handler]. It reads, clamps, redacts, analyses and embeds
// the events, and loads missing lanes. That is most of the work, and it holds no
// lock.
func (h *handler) Prepare(ctx context.Context, tenant memory.Tenant, events []worker.Event) (worker.Plan, error) {
	p := &plan{
		handler: h, tenant: tenant, refused: make(map[int]error),
		scopes: make([]memory.Scope, len(events)), items: make([]prepared, len(events)),
	}
	submitted := make([]submission, len(events))
	for i, e := range events {
		var err error
		if submitted[i], err = intake(e, h.redactor, h.newID); err != nil {
			p.refused[i] = err
		}
	}
	if err := h.checkLessons(ctx, tenant, submitted); err != nil {
		return nil, err
	}
	for i, e := range events {
		if p.refused[i] != nil {
			continue
		}
		s := &submitted[i]
		h.metrics.submitted(s)
		p.scopes[i] = s.proposal.Scope
		p.items[i] = prepared{
			item:    judge.Item{Proposal: s.proposal, Evidence: s.evidence, Text: h.analyzer.Text(s.proposal.Text)},
			eventID: e.ID,
		}
	}
	if err := h.attachServed(ctx, tenant, p.items); err != nil {
		return nil, err
	}
	p.named = sessionNames(p.items)
	var err error
	if p.sessions, err = h.sessions.lowerAuthority(ctx, tenant, p.named, p.items); err != nil {
		return nil, err
	}
	if err := p.pin(ctx, events); err != nil {
		return nil, err
	}
	return p, nil
}

// pin gets the lanes of the batch. The events of a scope that has no lane yet are
// refused with a snooze, so that they are delivered again.
func (p *plan) pin(ctx context.Context, events []worker.Event) (err error) {
	eventsOf := make(map[memory.Scope][]int)
	for i, scope := range p.scopes {
		if scope != "" {
			eventsOf[scope] = append(eventsOf[scope], i)
		}
	}
	if p.lanes, err = p.handler.lanes.pin(ctx, p.tenant, slices.Sorted(maps.Keys(eventsOf))); err != nil {
		return fmt.Errorf("triage: %w", err)
	}
	kept := false
	defer func() {
		if !kept { // a panic below: the pipeline gets no plan, so nothing else unpins them
			p.lanes.release(false)
		}
	}()
	refuse := func(scope memory.Scope, err error) {
		for _, i := range eventsOf[scope] {
			p.refused[i], p.scopes[i] = err, ""
		}
	}
	for scope, err := range p.lanes.unavailable {
		refuse(scope, err)
	}
	p.candidates = make(map[memory.Scope]*candidates)
	for scope, l := range p.lanes.lanes {
		if !l.key.narrow {
			continue
		}
		texts, attempt := make([]*wording.Text, 0, len(eventsOf[scope])), 0
		for _, i := range eventsOf[scope] {
			texts, attempt = append(texts, p.items[i].item.Text), max(attempt, events[i].Attempt)
		}
		a, err := p.handler.lanes.index.find(ctx, p.tenant, scope, texts)
		if err != nil {
			refuse(scope, snoozeUnanswered(attempt, fmt.Errorf("triage: %w", err)))
			continue
		}
		p.candidates[scope] = a
	}
	kept = true
	return nil
}

// prepared is one event that can be judged.
type prepared struct {
	item    judge.Item
	eventID string
}

// plan implements [worker.Plan]: a prepared batch of one tenant.
type plan struct {
	handler *handler
	tenant  memory.Tenant
	scopes  []memory.Scope
	refused map[int]error
	items   []prepared
	// named are the sessions that the texts name. sessions are those of them in the
	// store, by which the texts were judged.
	named    []change.SessionName
	sessions []store.ExternalSession

	lanes      *pinnedLanes                 // released by Done
	candidates map[memory.Scope]*candidates // by scope, of narrow lanes only
	decisions  []memory.Decision
}

// Scopes implements [worker.Plan].
func (p *plan) Scopes() []memory.Scope { return p.scopes }

// Refused implements [worker.Plan].
func (p *plan) Refused() map[int]error { return p.refused }

// Decide implements [worker.Plan]. It brings the lanes up to date and judges the
// fresh proposals.
//
// Proposals of one scope are judged one after the other, so each sees the verdicts
// before it. Scopes do not affect each other, so they are judged concurrently. The
// change lists verdicts in the order of the batch.
func (p *plan) Decide(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error) {
	if err := p.checkSessions(ctx, view); err != nil {
		return change.Set{}, err
	}
	groups := byScope(p.scopes, fresh)
	if err := p.lanes.refresh(ctx, slices.Collect(maps.Keys(groups)), view, p.candidates); err != nil {
		return change.Set{}, err
	}

	verdicts := make([]verdict, len(p.items))
	var judging errgroup.Group
	judging.SetLimit(runtime.GOMAXPROCS(0))
	now := p.handler.now()
	for scope, mine := range groups {
		lane := p.lanes.lanes[scope]
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

	set := change.Set{Policies: p.lanes.newPolicies()}
	for _, i := range fresh {
		addTo(&set, verdicts[i].decision, &verdicts[i].outcome, p.items[i].eventID, p.handler.newID)
		p.decisions = append(p.decisions, verdicts[i].decision)
	}
	return set, nil
}

// verdict is the decision on one proposal, with the changes that it makes.
type verdict struct {
	decision memory.Decision
	outcome  judge.Outcome
}

// byScope groups the fresh events by scope, in the order of the batch.
func byScope(scopes []memory.Scope, fresh []int) map[memory.Scope][]int {
	groups := make(map[memory.Scope][]int)
	for _, i := range fresh {
		groups[scopes[i]] = append(groups[scopes[i]], i)
	}
	return groups
}

// Done implements [worker.Plan]. Without a commit the lanes hold verdicts that never
// took effect, so they are evicted.
func (p *plan) Done(committed bool) {
	p.lanes.release(committed)
	if committed {
		p.handler.metrics.decided(p.decisions)
	}
}
