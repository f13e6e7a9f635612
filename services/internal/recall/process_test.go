package recall_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/rerank/reranktest"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"

	rerankhttp "github.com/winnowhq/winnow/services/internal/model/rerank/http"
)

// A process that only searches finds what others wrote, however long ago its index was
// loaded, without a notification.
func TestOtherProcessesWrite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.remember(text("The cache of the gateway holds zebra tokens for 90 s."))
	b.search(recall.Question{Text: "zebra"}) // loaded now
	for n := range 3 {
		known := b.remember(text(fmt.Sprintf("Feature flag%d lives in LaunchDarkly.", n)))
		if got := ids(b.search(recall.Question{Text: fmt.Sprintf("flag%d", n)})); len(got) == 0 || got[0] != known[0] {
			t.Errorf("%d: %v, want %s", n, got, known[0])
		}
	}
	elsewhere := b.remember(memory.Memory{Text: "The quokka rests.", Scope: "team:new"})
	if got := ids(b.search(recall.Question{Text: "quokka", Scopes: []memory.Scope{"team:new"}})); !slices.Equal(got, elsewhere) {
		t.Errorf("a new scope: %v", got)
	}
	_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: old[0], State: memory.StateArchived, ArchivedAt: time.Now(), Confidence: 0.8, SeenCount: 1,
	}}}, store.InboxKey{})
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(b.search(recall.Question{Text: "zebra"})); slices.Contains(got, old[0]) {
		t.Errorf("archived elsewhere and still found: %v", got)
	}
}

// A row that the index stores is read anew once another process changed it, and a
// question of another tenant does not see it.
func TestChangedRowsAreReadAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("The gateway caches zebra tokens for 90 s."))
	for n := range 4 {
		want := 0.5 + float64(n)/10
		_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
			ID: known[0], State: memory.StateActive, Confidence: want, SeenCount: n + 1,
		}}}, store.InboxKey{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a := b.search(recall.Question{Text: "zebra"})
			if len(a.Found) != 1 || a.Found[0].Confidence != want || a.Found[0].SeenCount != n+1 {
				t.Fatalf("change %d: %+v", n, a.Found)
			}
		}
	}
	elsewhere, err := b.recall.Search(t.Context(), recall.Question{Text: "zebra", Tenant: memory.SystemTenant})
	if err != nil || len(elsewhere.Found) > 0 {
		t.Errorf("another tenant: %v, %v", elsewhere.Found, err)
	}
}

// S4.34, SPEC §17: a search asks Postgres only whether anything changed. While the last
// check is recent enough the search needs no Postgres, sessions included, and its
// answer is the same.
func TestSearchReadsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.storeSaid(memory.DefaultTenant,
		said{session: "s1", text: "Which lake did the sailing school choose for the autumn regatta?"},
		said{session: "s1", text: "We chose the northern one in the end."})
	list := b.remember(text("The lunch order goes out at eleven."), text("The regatta prize is a lake steamer cruise."))
	_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: list[1], State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "merged", SuccessorID: list[0],
		Confidence: 0.8, SeenCount: 1,
	}}}, store.InboxKey{})
	if err != nil {
		t.Fatal(err)
	}
	b.recall.Index, b.recall.Neighbours = following(t, b.truth, b.store, time.Hour), b.store
	question := recall.Question{Text: "lake of the sailing school regatta that was chosen"}
	before := b.search(question)
	b.store.Close()
	if after := b.search(question); len(before.Found) < 3 || !reflect.DeepEqual(before, after) {
		t.Errorf("without Postgres %+v, before %+v", after, before)
	}
}

// Writers and searches run at once, with so little memory that the tenant is evicted
// and loaded again all the time: committed memories are found at once.
func TestFollowsUnderLoad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	follower := indexing.NewFollower(b.truth, b.store)
	x, err := embedded.New(embedded.Config{MaxBytes: 1, Scans: 2}, follower.Source)
	if err != nil {
		t.Fatal(err)
	}
	g := b.truth.Generation(1)
	if err := errors.Join(x.Create(t.Context(), g), x.Activate(t.Context(), g)); err != nil {
		t.Fatal(err)
	}
	b.recall.Index = follower.Wrap(x)
	var working sync.WaitGroup
	for w := range 4 {
		working.Go(func() {
			for n := range 10 {
				word := fmt.Sprintf("word%dx%d", w, n)
				m := text("It says " + word + " and nothing else.")
				m.Scope = memory.Scope(fmt.Sprintf("project:p%d", w%2))
				known := b.remember(m)
				if got := ids(b.search(recall.Question{Text: word})); len(got) == 0 || got[0] != known[0] {
					t.Errorf("%s: %v, want %s", word, got, known[0])
				}
			}
		})
	}
	working.Wait()
}

// With a remote model a search never waits for the vectors of memories: it finds them
// by words, and by meaning after an index worker has embedded them.
func TestVectorsMadeElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const dim = 16
	server := embedtest.NewServer(t, dim)
	model, err := openai.New(openai.Config{URL: server.URL, Model: "m", Dim: dim})
	if err != nil {
		t.Fatal(err)
	}
	truth := &indexing.Truth{Store: b.store, Embedder: model, Analyzer: b.truth.Analyzer}
	b.recall.Embedder, b.recall.Index = model, following(t, truth, b.store, 0)
	known := b.remember(text("alpha beta"), text("gamma delta"))
	near := func() bool {
		g := truth.Generation(1)
		x, err := b.recall.Index.Open(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		stamps, err := x.Versions(t.Context(), memory.DefaultTenant, "", 10)
		if err != nil || len(stamps) != 2 {
			t.Fatalf("%v, %v", stamps, err)
		}
		return stamps[0].Version%2 == 1 && stamps[1].Version%2 == 1
	}
	if got := ids(b.search(recall.Question{Text: "alpha"})); len(got) != 1 || got[0] != known[0] || near() {
		t.Errorf("by words: %v", got)
	}
	for _, r := range server.Requests() {
		if !slices.Equal(r.Input, []string{"alpha"}) {
			t.Errorf("asked for %q, want the question alone", r.Input)
		}
	}
	if _, err := truth.Docs(t.Context(), truth.Generation(1), memory.DefaultTenant, known); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !near(); {
		if time.Now().After(end) {
			t.Fatal("the vectors never came")
		}
	}
}

// What was shown in a session is stored once; without a session nothing is stored, and
// a log that cannot be written fails no search.
func TestServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("Feature flags live in LaunchDarkly."))
	b.recall.Served = b.store
	for range 2 {
		b.search(recall.Question{Text: "flags", Session: "s1", Principal: "agent"})
	}
	b.search(recall.Question{Text: "flags"})
	b.search(recall.Question{Text: "flags", Session: "s2", Scopes: []memory.Scope{"team:empty"}})
	b.recall.Close()
	served, err := b.store.ServedIn(t.Context(), memory.DefaultTenant, "s1", "s2", "")
	if err != nil || len(served) != 1 || served[0].MemoryID != known[0] || served[0].Principal != "agent" {
		t.Errorf("served %+v, %v", served, err)
	}
	var heard error
	b.recall.Unrecorded = func(err error) { heard = err }
	b.search(recall.Question{Text: "flags", Session: "a\x00b"})
	b.recall.Close()
	if heard == nil {
		t.Error("nobody heard that nothing was kept")
	}
}

// What searches record while another write runs is written together: all of it, by caller,
// and a session that the store refuses costs nobody else's records.
func TestRecordedTogether(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	b := over(t, db.Store)
	known := b.remember(text("Feature flags live in LaunchDarkly."))
	b.recall.Served, b.recall.Research = b.store, b.store
	var mu sync.Mutex
	var heard []error
	b.recall.Unrecorded = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, err)
	}
	block, err := testenv.Pool(t, db.URL).Begin(t.Context())
	if err == nil {
		_, err = block.Exec(t.Context(), "lock table served in exclusive mode")
	}
	if err != nil {
		t.Fatal(err)
	}
	sessions := []string{"s0", "s1", "a\x00b", "s2", "s1"} // the first one's write waits, the others for it
	for i, session := range sessions {
		b.search(recall.Question{Text: "flags", Session: session, Principal: fmt.Sprint("agent", i), Words: []string{"flags"}})
	}
	if err := block.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.recall.Recorded(t.Context(), "agent4", "s1")
	served, err := b.store.ServedIn(t.Context(), memory.DefaultTenant, sessions[0], sessions[1], sessions[3])
	if err != nil || len(served) != 3 || served[0].MemoryID != known[0] || served[1].Principal != "agent1" {
		t.Errorf("served %+v, %v", served, err)
	}
	lines, err := b.store.ResearchLines(t.Context(), memory.DefaultTenant, store.ResearchQuery{})
	if err != nil || len(lines) != 8 { // a search and a reading of each of the four
		t.Errorf("research %+v, %v", lines, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != 2 { // of what was shown, and of what was searched for
		t.Errorf("heard %v", heard)
	}
}

// A reranker decides the order of the pool; one that fails leaves the order as it was,
// and a note says so.
func TestReranker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember(text("Flags live in LaunchDarkly, flags and flags."), text("The flag is painted on the ship."))
	plain := ids(b.search(recall.Question{Text: "flags"}))
	server := reranktest.NewServer(t)
	var err error
	if b.recall.Reranker, err = rerankhttp.New(rerankhttp.Config{URL: server.URL, Model: "m", Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	server.Set(reranktest.Scores(func(text string) float64 {
		if strings.Contains(text, "ship") {
			return 0.9
		}
		return 0.1
	}))
	a := b.search(recall.Question{Text: "flags"})
	// 0.9 times the share of a confidence of 0.8.
	if got := ids(a); len(got) != 2 || got[0] != known[1] || a.Found[0].Relevance != 0.9*0.9 || len(a.Notes) != 0 {
		t.Errorf("reranked: %v, relevance %v, notes %q", got, a.Found[0].Relevance, a.Notes)
	}
	server.Set(reranktest.Refuse(http.StatusInternalServerError))
	for range 2 { // the second does not even ask
		a = b.search(recall.Question{Text: "flags"})
		if got := ids(a); !slices.Equal(got, plain) || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "reranker") {
			t.Errorf("without it: %v, want %v, notes %q", got, plain, a.Notes)
		}
		b.recall.StayAway()
	}
	if n := server.Asked(); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
}

// The best of a rare kind is found although many of another kind answer better.
func TestFilterReachesTheIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	many := make([]memory.Memory, search.Standard.Candidates+100)
	for i := range many {
		many[i] = text(fmt.Sprintf("pgx pool size pgx pool %d", i))
	}
	b.remember(many...)
	rare := b.remember(memory.Memory{Text: "A long rule about many things, of which one is that the pool stays small.", Kind: memory.KindRule})
	got := ids(b.search(recall.Question{Text: "pgx pool size", Filter: search.Filter{Kinds: []memory.Kind{memory.KindRule}}}))
	if !slices.Equal(got, rare) {
		t.Errorf("%v, want %v", got, rare)
	}
}

// Within the slack of a busy process an answer may lack the latest commits, and never
// older ones.
func TestSlack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.remember(text("The importer keeps its cursor."))
	b.recall.Index = following(t, b.truth, b.store, time.Hour)
	if got := ids(b.search(recall.Question{Text: "importer"})); !slices.Equal(got, first) {
		t.Fatalf("%v, want %v", got, first)
	}
	second := b.remember(text("The exporter keeps its cursor."))
	if got := ids(b.search(recall.Question{Text: "exporter"})); slices.Contains(got, second[0]) {
		t.Error("it looked, an hour early")
	}
	b.recall.Index = following(t, b.truth, b.store, 0)
	if got := ids(b.search(recall.Question{Text: "exporter"})); !slices.Contains(got, second[0]) {
		t.Errorf("%v, want %v", got, second)
	}
}
