package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vault/git"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	tenant = memory.DefaultTenant
	shop   = memory.Scope("project:shop")
	// patience bounds waits that end by a condition; only a hang reaches it.
	patience = 5 * time.Minute
)

// rig is a database, a folder for vaults, and a projector between both. Without a
// fleet it has no bus, and the test drives the projector round by round.
type rig struct {
	testing.TB
	db     pgtest.Database
	store  store.Store
	bus    *natstest.Server
	root   string
	deps   worker.Deps
	vaults *index.VaultProjector
	ahead  atomic.Int64 // how far the projector's clock is ahead, in ns
}

// setup returns a rig without a bus.
func setup(t testing.TB) *rig {
	t.Helper()
	r := &rig{TB: t, db: pgtest.New(t), root: filepath.Join(t.TempDir(), "vault")}
	r.store = r.db.Store
	r.deps = workertest.Deps(t, natstest.New(t), r.db.As(t, "index"))
	r.deps.Source = func(bus.Durable) (bus.Source, error) { return nil, nil } // no test fetches
	r.finish()
	return r
}

// setupFleet returns a rig with a bus, on which the given workers run.
func setupFleet(t testing.TB, workers ...worker.Definition) *rig {
	t.Helper()
	r := &rig{TB: t, db: pgtest.New(t), root: filepath.Join(t.TempDir(), "vault")}
	r.store = r.db.Store
	durables := append(index.Definition.Durables(), relay.Definition.Durables()...)
	r.bus = natstest.New(t, append(durables, triage.Definition.Durables()...)...)
	r.deps = workertest.Deps(t, r.bus, r.db.As(t, "index"))
	r.finish()
	for _, w := range workers {
		r.run(w, r.deps)
	}
	return r
}

func (r *rig) finish() {
	r.Helper()
	r.deps.Now = func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }
	r.deps.Vault = func(t memory.Tenant) (vault.Vault, error) { return git.Open(r.root, t, git.Options{}) }
	r.restart()
}

// restart replaces the projector by a new one, like a killed process.
func (r *rig) restart() {
	r.Helper()
	r.vaults = index.NewVaultProjector(r.deps)
}

// run starts a worker. The returned function stops it and waits for its end.
func (r *rig) run(def worker.Definition, deps worker.Deps) (stop func()) {
	r.Helper()
	if def.Handle != nil {
		deps.Now = time.Now
	}
	if def.Name != index.Definition.Name {
		deps.Store = r.db.As(r.TB, def.Name)
	}
	runner, err := worker.Build(def, deps, patience)
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := runner.Run(ctx); err != nil {
			r.Errorf("%s: %v", def.Name, err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	r.Cleanup(stop)
	return stop
}

// step runs one round of the projector, some time after the previous one.
func (r *rig) step() {
	r.Helper()
	r.await("a round gets through", func() bool { return r.through(r.tryStep(r.Context())) })
}

// through reports whether a round did its work. A round that lost its lease or the
// store, as on a stalled machine, leaves the work to the next one. Any other error
// fails the test.
func (r *rig) through(err error) bool {
	r.Helper()
	if err != nil && !interrupted(err) {
		r.Fatal(err)
	}
	return err == nil
}

// idleStep is step for a projector that compares nothing.
func (r *rig) idleStep() {
	r.Helper()
	r.await("a quiet round gets through", func() bool {
		r.ahead.Add(int64(10 * time.Second))
		return r.through(index.IdleStep(r.Context(), r.vaults))
	})
}

func interrupted(err error) bool {
	return errors.Is(err, index.ErrLeaseLost) || errors.Is(err, index.ErrResting) ||
		errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) // from a connection
}

func (r *rig) tryStep(ctx context.Context) error {
	r.ahead.Add(int64(10 * time.Second))
	return index.Step(ctx, r.vaults)
}

// until steps until a condition holds. The steps are short, because the projector
// waits at most an hour of its clock for triage to decide an edit, and a slow triage
// may take many steps.
func (r *rig) until(what string, holds func() bool) {
	r.Helper()
	r.await(what, func() bool {
		r.ahead.Add(int64(300 * time.Millisecond))
		return r.through(index.Step(r.Context(), r.vaults)) && holds()
	})
}

// await polls until a condition holds.
func (r *rig) await(what string, holds func() bool) {
	r.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); !holds(); <-look.C {
		if time.Now().After(end) {
			r.Fatalf("never: %s; the file is\n%s", what, r.file(shop))
		}
	}
}

// path returns the path of a scope's file.
func (r *rig) path(scope memory.Scope) string {
	r.Helper()
	return filepath.Join(r.vault().Path(scope), vault.MemoryFile)
}

func (r *rig) vault() vault.Vault {
	r.Helper()
	v, err := r.deps.Vault(tenant)
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// file returns the content of a scope's MEMORY.md, empty when it is missing.
func (r *rig) file(scope memory.Scope) string {
	r.Helper()
	data, err := os.ReadFile(r.path(scope))
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return string(data)
}

func (r *rig) shows(scope memory.Scope, text string) bool {
	r.Helper()
	return strings.Contains(r.file(scope), "- "+text+"\n")
}

// rendered reports whether a scope's newest commit has the store's current state. The
// files are written shortly before the commit.
func (r *rig) rendered(scope memory.Scope) bool {
	r.Helper()
	versions, err := r.store.ScopeVersions(r.Context(), tenant, scope)
	if err != nil {
		r.Fatal(err)
	}
	last, _, ok, err := r.vault().Last(scope)
	if err != nil {
		r.Fatal(err)
	}
	return ok && last.Version == versions[scope]
}

// save writes a scope's MEMORY.md by hand.
func (r *rig) save(scope memory.Scope, text string) {
	r.Helper()
	path := r.path(scope)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// replace changes a text in the file by hand.
func (r *rig) replace(scope memory.Scope, old, new string) {
	r.Helper()
	before := r.file(scope)
	if !strings.Contains(before, old) {
		r.Fatalf("%q is not in the file:\n%s", old, before)
	}
	r.save(scope, strings.Replace(before, old, new, 1))
}

// promote stores memories as triage does, in one transaction, and returns them.
func (r *rig) promote(scope memory.Scope, texts ...string) []memory.Memory {
	r.Helper()
	return r.promoteAs(scope, memory.KindFact, "Notes", texts...)
}

func (r *rig) promoteAs(scope memory.Scope, kind memory.Kind, section string, texts ...string) []memory.Memory {
	r.Helper()
	set, memories := promoted(scope, kind, section, texts...)
	r.commit(tenant, set)
	return memories
}

func promoted(scope memory.Scope, kind memory.Kind, section string, texts ...string) (change.Set, []memory.Memory) {
	var set change.Set
	now := time.Now().UTC().Truncate(time.Microsecond)
	for i, text := range texts {
		m := memory.Memory{
			ID: ident.New(memory.PrefixMemory), Scope: scope, State: memory.StateActive, Kind: kind, Section: section, Text: text,
			Importance: 5, Confidence: 0.8, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			ObservedAt: now, CreatedAt: now.Add(time.Duration(i) * time.Microsecond), LastConfirmed: now, SeenCount: 1, DecisionID: ident.New(memory.PrefixDecision),
		}
		set.Memories = append(set.Memories, m)
		set.Decisions = append(set.Decisions, memory.Decision{
			ID: m.DecisionID, Scope: scope, Verdict: memory.VerdictPromoted, Rule: "fact", Fired: []string{"fact"}, MemoryID: m.ID,
			Principal: "agent", Actor: memory.ActorTriage, Authority: memory.OriginAgent, At: now,
		})
		set.Audit = append(set.Audit, change.Audit{Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided", Subject: m.ID})
		id := ident.New(memory.PrefixEvent)
		set.Events = append(set.Events, change.Event{
			ID: id, Subject: event.SubjectMemoryRecorded, Type: event.TypeFor(event.SubjectMemoryRecorded),
			Message: &winnowv1.MemoryRecorded{Id: id, MemoryId: m.ID, Scope: string(scope)},
		})
	}
	return set, set.Memories
}

func (r *rig) commit(t memory.Tenant, set change.Set) {
	r.Helper()
	if _, err := r.store.Commit(r.Context(), t, set, store.InboxKey{}); err != nil {
		r.Fatal(err)
	}
	r.deps.Publisher.Wake()
}

// decider decides the actions of the person "local".
func (r *rig) decider() *review.Decider {
	return &review.Decider{
		Stamp: review.Stamp{Tenant: tenant, Person: "local", Now: time.Now().UTC().Truncate(time.Microsecond), NewID: ident.New},
		Store: r.store, Redact: func(s string) string { return s },
	}
}

// memories returns a scope's memories, active or archived.
func (r *rig) memories(scope memory.Scope, state memory.State) []memory.Memory {
	r.Helper()
	list, err := r.store.Memories(r.Context(), tenant, store.MemoryQuery{Scope: scope, States: []memory.State{state}, Limit: 100_000})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// texts returns the texts of a scope's active memories.
func (r *rig) texts(scope memory.Scope) string {
	r.Helper()
	var all strings.Builder
	for _, m := range r.memories(scope, memory.StateActive) {
		fmt.Fprintf(&all, "- %s\n", m.Text)
	}
	return all.String()
}

// written returns the hand-written entries, decided or not.
func (r *rig) written(scope memory.Scope) []memory.Proposal {
	r.Helper()
	list, err := r.store.Proposals(r.Context(), tenant, store.ProposalQuery{Scope: scope, Principal: memory.VaultPrincipal(tenant), Limit: 1000})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// log returns a scope's commits, oldest first.
func (r *rig) log(scope memory.Scope) []vault.Entry {
	r.Helper()
	list, err := r.vault().Log(scope, 0)
	if err != nil {
		r.Fatal(err)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// counter returns the value of one of the projector's metrics.
func (r *rig) counter(name string) int {
	r.Helper()
	return counterOf(r.TB, r.deps, name)
}
