package triage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const tenant = memory.DefaultTenant

// rig is a handler on a store of its own. Tests drive it batch by batch, as the
// pipeline does.
type rig struct {
	testing.TB
	store   store.Store
	h       *handler
	metrics *prometheus.Registry
	deps    worker.Deps
	n       int // events so far
}

// newRig returns a handler within these bounds, on a database of its own.
func newRig(t testing.TB, cfg LaneConfig, adjust ...func(*worker.Deps)) *rig {
	t.Helper()
	return newRigOn(t, pgtest.Open(t), cfg, adjust...)
}

func newRigOn(t testing.TB, s store.Store, cfg LaneConfig, adjust ...func(*worker.Deps)) *rig {
	t.Helper()
	redactor, err := redact.New(redact.Config{Key: []byte("only for tests")})
	if err != nil {
		t.Fatal(err)
	}
	deps := worker.Deps{
		Store: s, Redactor: redactor, Log: testenv.Logger(t, zap.ErrorLevel), Metrics: prometheus.NewRegistry(),
		Now: time.Now, NewID: ident.New,
	}
	deps.Meaning = static.New()
	Lanes.Change(&deps.Settings, func(c *LaneConfig) { *c = cfg })
	for _, a := range adjust {
		a(&deps)
	}
	made, err := newHandler(deps)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{TB: t, store: s, h: made.(*handler), metrics: deps.Metrics.(*prometheus.Registry), deps: deps}
	t.Cleanup(r.h.Stop)
	return r
}

// indexed gives the handler an index in this process that applies changes before it
// answers.
func indexed(t testing.TB) func(*worker.Deps) {
	return func(d *worker.Deps) {
		d.Truth = &indexing.Truth{Store: d.Store, Embedder: static.New(), Analyzer: search.NewAnalyzer(), Local: true, Originals: true}
		follower := indexing.NewFollower(d.Truth, d.Store)
		d.Index = follower.Wrap(backend(t, d.Truth, follower.Source))
	}
}

// blind gives the handler an empty index.
func blind(t testing.TB) func(*worker.Deps) {
	return func(d *worker.Deps) {
		d.Truth = &indexing.Truth{Store: d.Store, Embedder: static.New(), Analyzer: search.NewAnalyzer(), Local: true}
		d.Index = backend(t, d.Truth, nil)
	}
}

func backend(t testing.TB, truth *indexing.Truth, source vector.Source) vector.Backend {
	t.Helper()
	x, err := embedded.New(embedded.DefaultConfig(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	g := truth.Generation(1)
	if err := errors.Join(x.Create(t.Context(), g), x.Activate(t.Context(), g)); err != nil {
		t.Fatal(err)
	}
	return x
}

// events returns proposals of one scope as the pipeline delivers them.
func (r *rig) events(scope memory.Scope, texts ...string) []worker.Event {
	r.Helper()
	out := make([]worker.Event, len(texts))
	for i, text := range texts {
		data, err := protojson.Marshal(&winnowv1.ProposalCreated{Scope: string(scope), Text: text})
		if err != nil {
			r.Fatal(err)
		}
		r.n++
		id := fmt.Sprintf("evt_%06d", r.n)
		out[i] = worker.Event{
			Envelope: event.Envelope{
				ID: id, Type: event.TypeFor(event.SubjectProposalCreated), Subject: event.SubjectProposalCreated,
				ContentType: event.ContentJSON, Principal: "agent", Data: data,
			},
			Tenant: tenant, Principal: memory.Principal{ID: "agent", Tenant: tenant, Highest: memory.OriginAgent}, Stored: time.Now(), Attempt: 1,
		}
	}
	return out
}

// prepare prepares a batch of one scope.
func (r *rig) prepare(scope memory.Scope, texts ...string) (*plan, []worker.Event) {
	r.Helper()
	events := r.events(scope, texts...)
	p, err := r.h.Prepare(r.Context(), tenant, events)
	if err != nil {
		r.Fatal(err)
	}
	return p.(*plan), events
}

// commit decides and commits a prepared batch, and returns its decisions.
func (r *rig) commit(p *plan, events []worker.Event) ([]memory.Decision, error) {
	items := make([]store.Item, 0, len(events))
	for i, e := range events {
		if p.refused[i] == nil {
			items = append(items, store.Item{Key: e.Key(), Scope: p.scopes[i]})
		}
	}
	_, err := r.store.CommitBatch(r.Context(), tenant, store.Batch{Consumer: "triage", Items: items}, p.Decide)
	p.Done(err == nil)
	return p.decisions, err
}

// judge prepares, decides and commits a batch. A snoozed batch is prepared again when
// no load runs any more.
func (r *rig) judge(scope memory.Scope, texts ...string) []memory.Decision {
	r.Helper()
	p, events := r.prepare(scope, texts...)
	for tries := 0; len(p.refused) > 0; tries++ {
		p.Done(false)
		var snooze *worker.SnoozeError
		if !errors.As(p.refused[0], &snooze) || tries == 5 {
			r.Fatal(p.refused[0])
		}
		r.loaded()
		p, events = r.prepare(scope, texts...)
	}
	d, err := r.commit(p, events)
	if err != nil {
		r.Fatal(err)
	}
	return d
}

// loaded waits until no load runs.
func (r *rig) loaded() {
	r.h.lanes.loading.Wait()
}

// counted returns how many lanes of a form were loaded.
func (r *rig) counted(form string) int {
	r.Helper()
	families, err := r.metrics.Gather()
	if err != nil {
		r.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "winnow_triage_lane_loads_total" && m.GetLabel()[0].GetValue() == form {
				return int(m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

// held returns how many lanes are cached, and their bytes.
func (r *rig) held() (lanes, bytes int) {
	c := r.h.lanes
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cached.Len(), c.bytes
}

// seed stores memories of a scope, oldest first, and returns them. It makes several
// commits, so that the store can order them.
func (r *rig) seed(scope memory.Scope, texts ...string) []memory.Memory {
	r.Helper()
	rows := make([]memory.Memory, len(texts))
	for i, text := range texts {
		rows[i] = memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
			Section: "Notes", Text: text, Importance: 5, Confidence: 0.5, Principal: "agent", Origin: memory.OriginAgent,
			Authority: memory.OriginAgent, CreatedAt: time.Now(), SeenCount: 1,
		}
	}
	for some := range slices.Chunk(rows, 100) {
		r.write(change.Set{Memories: some})
	}
	return rows
}

// write commits a set outside triage.
func (r *rig) write(set change.Set) {
	r.Helper()
	if _, err := r.store.Commit(r.Context(), tenant, set, store.InboxKey{}); err != nil {
		r.Fatal(err)
	}
}

var vocabulary = strings.Fields(`server cache queue deploy config token timeout retry index build image test pipeline release cluster
 node database migration schema worker event session login request response header payload client gateway proxy certificate secret
 backup restore metric alert dashboard log trace volume disk memory thread lock batch stream topic consumer producer partition
 checkout branch commit review merge hook linter formatter compiler package module dependency version registry artifact bucket`)

// notes returns n texts of which none repeats another.
func notes(n int) []string {
	rng := rand.New(rand.NewPCG(3, 4))
	w := func() string { return vocabulary[rng.IntN(len(vocabulary))] }
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("2026-%02d-%02d: the %s %s of `%s/%s-%d.go` keeps its %s %s for %d ms since the %s failed under load %d",
			1+rng.IntN(12), 1+rng.IntN(28), w(), w(), w(), w(), i, w(), w(), rng.IntN(9000), w(), rng.IntN(900))
	}
	return out
}
