package recall_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// bench is a store with memories and a search over them.
type bench struct {
	*testing.T
	store  store.Store
	truth  *indexing.Truth
	recall *recall.Recall
}

func setup(t *testing.T) *bench {
	t.Helper()
	return over(t, pgtest.Open(t))
}

// over returns a search over a store.
func over(t *testing.T, s store.Store) *bench {
	t.Helper()
	b := &bench{T: t, store: s}
	table := static.New()
	b.truth = &indexing.Truth{Store: b.store, Embedder: table, Analyzer: search.NewAnalyzer(), Local: true, Originals: true}
	b.recall = &recall.Recall{
		Store: b.store, Embedder: table, Analyzer: b.truth.Analyzer, Matcher: search.NewMatcher(b.truth.Analyzer, table.Embed),
		Options: search.DefaultOptions(), Index: b.backend(),
	}
	return b
}

// backend is an index that follows the store.
func (b *bench) backend() vector.Backend {
	b.Helper()
	return following(b.T, b.truth, b.store, 0)
}

// following returns an index in memory as every process has one, at most slack behind.
func following(t testing.TB, truth *indexing.Truth, s store.Store, slack time.Duration) vector.Backend {
	t.Helper()
	follower := indexing.NewFollower(truth, s).Within(slack)
	x, err := embedded.New(embedded.DefaultConfig(), follower.Source)
	if err != nil {
		t.Fatal(err)
	}
	g := truth.Generation(1)
	if err := errors.Join(x.Create(t.Context(), g), x.Activate(t.Context(), g)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return follower.Wrap(x)
}

// remember stores memories as given, and returns their ids.
func (b *bench) remember(list ...memory.Memory) (ids []string) {
	b.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	for i := range list {
		m := &list[i]
		m.ID, m.Tenant, m.State = ident.New(memory.PrefixMemory), memory.DefaultTenant, memory.StateActive
		if m.Scope == "" {
			m.Scope = "project:shop"
		}
		if m.Kind == "" {
			m.Kind = memory.KindFact
		}
		if m.Confidence == 0 {
			m.Confidence = 0.8
		}
		m.Importance, m.SeenCount, m.Authority, m.CreatedAt = 5, 1, memory.OriginAgent, now
		ids = append(ids, m.ID)
	}
	if _, err := b.store.Commit(b.Context(), memory.DefaultTenant, change.Set{Memories: list}, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	return ids
}

func (b *bench) search(q recall.Question) recall.Answer {
	b.Helper()
	q.Tenant = memory.DefaultTenant
	a, err := b.recall.Search(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func ids(a recall.Answer) (out []string) {
	for _, f := range a.Found {
		out = append(out, f.ID)
	}
	return out
}

func text(s string) memory.Memory { return memory.Memory{Text: s} }

// S4.1, S4.2: the right memory is first, with its whole text, for a query by words and
// for one by meaning.
func TestFindsByWordsAndMeaning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(
		text("Staging Postgres moved from port 5433 to port 5440 on 2026-11-17."),
		text("The nightly seed job reads the Stripe test key from the vault."),
		text("Deployments are rolled back with `kubectl rollout undo`."),
		text("The team eats lunch at noon."))
	for _, c := range []struct{ question, want string }{
		{"5440", known[0]},
		{"which port does the staging database listen on", known[0]},
		{"undo a release", known[2]},
		{"where does the seeder get its payment credential", known[1]},
	} {
		a := b.search(recall.Question{Text: c.question})
		if got := ids(a); len(got) == 0 || got[0] != c.want || a.Found[0].Text == "" || a.Found[0].Relevance <= 0 {
			t.Errorf("%q: %v, want %s first", c.question, got, c.want)
		}
	}
}

// S4.30, D30: scope, kind, outcome and confidence narrow the answer, and an empty
// answer says why.
func TestFiltersAndWhy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if a := b.search(recall.Question{Text: "anything"}); !strings.Contains(a.Why, "nothing is stored") {
		t.Errorf("empty store: %q", a.Why)
	}
	known := b.remember(
		memory.Memory{Text: "pgx pool size is 20", Outcome: "success"},
		memory.Memory{Text: "pgx pool size is 40", Scope: "project:other"},
		memory.Memory{Text: "pgx pool starves under load", Confidence: 0.3, Kind: memory.KindStrategy})
	b.recall.Index = b.backend()
	only := func(q recall.Question, want ...string) {
		t.Helper()
		got := ids(b.search(q))
		if len(got) != len(want) {
			t.Fatalf("%+v: %v, want %v", q, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%+v: %v, want %v", q, got, want)
			}
		}
	}
	only(recall.Question{Text: "pgx pool", Scopes: []memory.Scope{"project:other"}}, known[1])
	only(recall.Question{Text: "pgx pool", Filter: search.Filter{Outcome: "success"}}, known[0])
	only(recall.Question{Text: "pgx pool", Filter: search.Filter{Kinds: []memory.Kind{memory.KindStrategy}}}, known[2])
	unsure := b.search(recall.Question{Text: "starves", Filter: search.Filter{Kinds: []memory.Kind{memory.KindStrategy}, MinConfidence: 0.5}})
	if len(unsure.Found) > 0 || !strings.Contains(unsure.Why, "below the confidence") {
		t.Errorf("below the confidence: %+v", unsure)
	}
	if a := b.search(recall.Question{Text: "pgx", Scopes: []memory.Scope{"project:shop"}, Filter: search.Filter{Outcome: "failure"}}); !strings.Contains(a.Why, "kind or outcome") {
		t.Errorf("all filtered: %+v", a)
	}
}

// An archived memory leads to its successor, also where the index does not know of the
// archiving yet.
func TestArchivedLeadsToItsSuccessor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("The cache of the gateway holds zebra tokens for 90 s."), text("The gateway has one cache."),
		text("The gateway keeps what it fetched."))
	question := recall.Question{Text: "zebra tokens"}
	b.search(question) // loaded while all were active
	for n, successor := range known[1:] {
		_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
			ID: known[n], State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "merged", SuccessorID: successor,
			Confidence: 0.8, SeenCount: 1,
		}}}, store.InboxKey{})
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range []string{"as it was", "fresh", "without rows"} {
			if index != "as it was" {
				b.truth.Originals = index == "fresh"
				b.recall.Index = b.backend()
			}
			a := b.search(question)
			if len(a.Found) != 2-n || a.Found[0].ID != successor || !a.Found[0].Redirected {
				t.Errorf("index %s: %+v, want the successor %s", index, a.Found, successor)
			}
		}
	}
}

// SPEC §9: what only an archived source says finds its successor, also among many texts
// that have a part of the question's words, whichever index answers.
func TestSourceSpeaksForItsSuccessor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("The gateway holds zebra tokens for 90 s."),
		text("The cache in front of the shop keeps what it fetched from the catalogue, drops the oldest first, and is emptied at night."))
	for n := range 30 {
		b.remember(text(fmt.Sprintf("Tokens of client %d are held for %d s by the ledger.", n+100, 2*n+11)))
	}
	_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: known[0], State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: memory.ReasonConsolidated, SuccessorID: known[1],
		Confidence: 0.8, SeenCount: 1,
	}}}, store.InboxKey{})
	if err != nil {
		t.Fatal(err)
	}
	for _, originals := range []bool{true, false} {
		b.truth.Originals = originals
		b.recall.Index = b.backend()
		a := b.search(recall.Question{Text: "for how many s does the gateway hold zebra tokens"})
		if len(a.Found) == 0 || a.Found[0].ID != known[1] || !a.Found[0].Redirected {
			t.Errorf("with originals %v: %+v", originals, a.Found)
		}
	}
}

// SPEC §16, 7: with the index down the rows themselves are searched, and the
// answer says so.
func TestIndexDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("Feature flags live in LaunchDarkly."))
	down := b.backend()
	if err := down.Close(); err != nil {
		t.Fatal(err)
	}
	b.recall.Index, b.recall.Spare = down, b.backend()
	a := b.search(recall.Question{Text: "feature flags"})
	if got := ids(a); len(got) != 1 || got[0] != known[0] || len(a.Notes) != 1 {
		t.Errorf("%v, notes %q", got, a.Notes)
	}
	b.recall.Spare = nil
	if _, err := b.recall.Search(t.Context(), recall.Question{Text: "x", Tenant: memory.DefaultTenant}); !errors.Is(err, vector.ErrUnavailable) {
		t.Errorf("without a spare: %v", err)
	}
}

// Vectors of two models are never compared: the answer is by words alone and a note
// says so.
func TestAnotherModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("Feature flags live in LaunchDarkly."))
	b.recall.Embedder = embed.None{}
	a := b.search(recall.Question{Text: "LaunchDarkly flags"})
	if got := ids(a); len(got) != 1 || got[0] != known[0] || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "another model") {
		t.Errorf("%v, notes %q", got, a.Notes)
	}
}

// Promise 8: another tenant finds nothing of this one.
func TestTenants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.remember(text("Feature flags live in LaunchDarkly."))
	a, err := b.recall.Search(t.Context(), recall.Question{Text: "feature flags", Tenant: memory.SystemTenant})
	if err != nil || len(a.Found) > 0 {
		t.Errorf("%v %v", a.Found, err)
	}
}

// Invalid questions are refused with the name of the field.
func TestRefusedQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, q := range map[string]recall.Question{
		"tenant": {Text: "x"},
		"empty":  {Text: " \u200b ", Tenant: memory.DefaultTenant},
		"bytes":  {Text: strings.Repeat("x", recall.MaxQuery+1), Tenant: memory.DefaultTenant},
		"limit":  {Text: "x", Tenant: memory.DefaultTenant, Limit: -1},
	} {
		if _, err := b.recall.Search(t.Context(), q); !errors.Is(err, recall.ErrQuestion) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A vector is stored once it was made, and never asked for again.
func TestVectorsAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.remember(text("Feature flags live in LaunchDarkly."), text("—"))
	b.search(recall.Question{Text: "flags"})
	rows, err := b.store.IndexRows(t.Context(), memory.DefaultTenant, store.IndexQuery{Model: static.ID})
	if err != nil || len(rows) != 2 || len(rows[0].Vector) != b.truth.Embedder.Dim() {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
}

// SPEC §9: a question that has nothing to do with what is stored gets no text and is told
// why; a deep search shows what there is.
func TestNothingBelowTheFloor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var list []memory.Memory
	for n := range 8 { // a small store has a floor too
		list = append(list, memory.Memory{Text: fmt.Sprintf("Staging listens on port %d.", 5400+n)})
	}
	b.remember(list...)
	q := recall.Question{Text: "refund policy for subscribers"}
	if got := b.search(q); len(got.Found) != 0 || !strings.Contains(got.Why, "floor of relevance") {
		t.Errorf("unrelated: %+v", got)
	}
	q.Deep = true
	if got := b.search(q); len(got.Found) == 0 {
		t.Errorf("deep: %+v", got)
	}
	if got := b.search(recall.Question{Text: q.Text, Unasked: true}); len(got.Found) == 0 {
		t.Errorf("what nobody asked for has no floor: %+v", got)
	}
	if got := b.search(recall.Question{Text: "which port does staging use"}); len(got.Found) == 0 || got.Why != "" {
		t.Errorf("related: %+v", got)
	}
}

// SPEC §9, for a stranger: one word finds what has it, without most of the rest of a small
// store; a deep search shows the rest.
func TestOneWordFindsFewStrangers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.remember(text("The checkout page uses Stripe Elements."), text("Rollbacks use `helm rollback shop --wait`."),
		text("Backups are stored for 35 days."), text("Anna approves changes to billing."))
	found := b.search(recall.Question{Text: "Stripe"}).Found
	if len(found) == 0 || len(found) > 2 || !strings.Contains(found[0].Text, "Stripe") {
		t.Errorf("found %+v", found)
	}
	if got := b.search(recall.Question{Text: "Stripe", Deep: true}); len(got.Found) != 4 {
		t.Errorf("deep: %d", len(got.Found))
	}
}

// An opponent stores a question word for word: what answers it is shown all the same.
func TestRepeatedQuestionHidesNoAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.remember(text("Which port does the staging database use?"), text("Staging listens on port 5433."), text("Anna approves changes to billing."))
	found := b.search(recall.Question{Text: "Which port does the staging database use?"}).Found
	if !slices.ContainsFunc(found, func(f recall.Found) bool { return strings.Contains(f.Text, "5433") }) {
		t.Errorf("found %+v", found)
	}
}
