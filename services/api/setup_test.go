package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/run/memlimit"
	"github.com/winnowhq/winnow/services/triage"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Another tenant, with an agent that has a key.
const (
	acme    memory.Tenant = "acme"
	acmeBot string        = "acme-bot"
	acmeKey string        = "wk_only_for_tests"
)

// bench is an api over HTTP with its store. judges starts the workers that
// decide proposals.
type bench struct {
	testing.TB
	url    string
	db     string // of a superuser
	store  *postgres.Store
	bus    *natstest.Server
	deps   worker.Deps
	recall *recall.Recall
}

func setup(t testing.TB) *bench {
	t.Helper()
	return serve(t, provisioned(t))
}

// provisioned returns a database with the tenant acme, beside the default one.
func provisioned(t testing.TB) pgtest.Database {
	t.Helper()
	db := pgtest.New(t)
	hash := sha256.Sum256([]byte(acmeKey))
	err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: []memory.Tenant{acme}, Principals: []postgres.Registered{{
		Principal: memory.Principal{ID: acmeBot, Tenant: acme, Highest: memory.OriginAgent}, KeyHash: hash[:],
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// serve starts an api over a provisioned database.
func serve(t testing.TB, db pgtest.Database) *bench {
	t.Helper()
	if _, measured := t.(*testing.B); measured { // see searching
		memlimit.ApplyReserve() // as winnow dev does
		return serveRecent(t, db, postgres.Recent)
	}
	return serveRecent(t, db, 0)
}

// serveRecent is serve with answers of the directory that are so old at most.
func serveRecent(t testing.TB, db pgtest.Database, recent time.Duration) *bench {
	t.Helper()
	durables := slices.Concat(triage.Definition.Durables(), relay.Definition.Durables(), consolidate.Definition.Durables())
	b := &bench{TB: t, db: db.URL, store: db.Store, bus: natstest.New(t, durables...)}
	b.deps = workertest.Deps(t, b.bus, pgtest.Connect(t, postgres.Config{URL: db.URL, Worker: "api", Recent: recent}))
	b.recall = searching(t, b.deps.Store)
	b.deps.Recall = b.recall
	b.deps.Truth = &indexing.Truth{Store: b.deps.Store, Embedder: static.New(), Analyzer: search.NewAnalyzer(), Local: true}
	mux := http.NewServeMux()
	if err := api.Definition.Routes(b.deps, mux); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(b.recall.Close)
	b.url = server.URL
	return b
}

// searching returns a search with the settings of every process, but that a test finds at
// once what it wrote; a benchmark measures what a process does.
func searching(t testing.TB, s store.Store) *recall.Recall {
	t.Helper()
	table := static.New()
	truth := &indexing.Truth{Store: s, Embedder: table, Analyzer: search.NewAnalyzer(), Local: true, Originals: true}
	follower := indexing.NewFollower(truth, s)
	if _, measured := t.(*testing.B); measured {
		follower.Within(indexing.Slack)
	}
	x, err := embedded.New(embedded.DefaultConfig(), follower.Source)
	if err != nil {
		t.Fatal(err)
	}
	g := truth.Generation(1)
	if err := errors.Join(x.Create(t.Context(), g), x.Activate(t.Context(), g)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	var index vector.Backend = follower.Wrap(x)
	return &recall.Recall{
		Store: s, Embedder: table, Analyzer: truth.Analyzer, Matcher: search.NewMatcher(truth.Analyzer, table.Embed),
		Options: search.DefaultOptions(), Local: true, Index: index, Neighbours: s, Served: s, Research: s,
	}
}

// as returns the parts of another worker, with the rights of its role.
func (b *bench) as(def worker.Definition) worker.Deps {
	b.Helper()
	deps, truth := b.deps, *b.deps.Truth
	deps.Store = pgtest.Narrow(b.TB, b.store, def.Name)
	truth.Store = deps.Store
	deps.Truth = &truth
	return deps
}

// judges runs triage and the relay until the test ends.
func (b *bench) judges() {
	b.Helper()
	pipeline, err := worker.NewPipeline(triage.Definition, b.as(triage.Definition), time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	carrier, err := relay.Definition.Run(b.as(relay.Definition))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	for _, r := range []worker.Runner{pipeline, carrier} {
		go func() { ended <- r.Run(ctx) }()
	}
	b.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				b.Errorf("run: %v", err)
			}
		}
	})
}

// remember stores memories of a tenant and returns their ids.
func (b *bench) remember(tenant memory.Tenant, list ...memory.Memory) (ids []string) {
	b.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	for i := range list {
		m := &list[i]
		m.ID, m.Tenant, m.State = ident.New(memory.PrefixMemory), tenant, memory.StateActive
		if m.Scope == "" {
			m.Scope = "project:shop"
		}
		if m.Kind == "" {
			m.Kind = memory.KindFact
		}
		if m.Confidence == 0 {
			m.Confidence = 0.8
		}
		if m.Authority == 0 {
			m.Authority, m.Origin = memory.OriginAgent, memory.OriginAgent
		}
		m.Importance, m.SeenCount, m.CreatedAt = 5, 1, now
		ids = append(ids, m.ID)
	}
	if _, err := b.store.Commit(b.Context(), tenant, change.Set{Memories: list}, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	return ids
}

// belongs says what the first scope belongs to, and that to the next.
func (b *bench) belongs(tenant memory.Tenant, scopes ...memory.Scope) {
	b.Helper()
	var set change.Set
	for i := range len(scopes) - 1 {
		set.ScopeLinks = append(set.ScopeLinks, memory.ScopeLink{Tenant: tenant, Scope: scopes[i], Parent: scopes[i+1], At: time.Now()})
	}
	if _, err := b.store.Commit(b.Context(), tenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
}

// agent connects a client of the SDK that has all tools. An empty key is the default
// principal.
func (b *bench) agent(key string) *agent {
	b.Helper()
	return b.connect(key, "?toolsets=all")
}

// connect connects a client to /mcp with a query.
func (b *bench) connect(key, query string) *agent {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	// An agent is a process of its own, so it has its own connections.
	own := &http.Client{Transport: bearer{key, new(http.Transport)}}
	b.Cleanup(own.CloseIdleConnections)
	session, err := client.Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: b.url + "/mcp" + query, HTTPClient: own}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return &agent{b, session, own}
}

// bearer sends a key with every request, none where it is empty.
type bearer struct {
	key string
	*http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return b.Transport.RoundTrip(r)
}

// agent is a connected client. Only the test's own goroutine may call its
// methods.
type agent struct {
	*bench
	*mcp.ClientSession
	through *http.Client
}

// call calls a tool that must succeed, and decodes its structured content.
func (a *agent) call(tool string, arguments, into any) {
	a.Helper()
	result := a.try(tool, arguments)
	if result.IsError {
		a.Fatalf("%s: %s", tool, said(result))
	}
	if got, ok := into.(*answer); ok {
		*got = answer{} // what is left out now must not stay from an answer before
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		a.Fatalf("%s: %v", tool, err)
	}
}

// try calls a tool that may return an error in its answer.
func (a *agent) try(tool string, arguments any) *mcp.CallToolResult {
	a.Helper()
	result, err := a.CallTool(a.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatalf("%s: %v", tool, err)
	}
	return result
}

// said returns the text for a client without structured content.
func said(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// shownMemory is the part of a memory in an answer that tests read.
type shownMemory struct {
	ID, Title, Description, Content, Note, Outcome, Scope, Kind, Origin, Authority, State string

	Confidence, Relevance float64
	LastConfirmed         time.Time `json:"last_confirmed"`
	UsageCount            int       `json:"usage_count"`
	SuccessorID           string    `json:"successor_id"`
}

// answer is the part of memory_search's and memory_get's output that tests read.
type answer struct {
	Notice     string `json:"how_to_read"`
	Why        string
	Memories   []shownMemory
	Missing    []string
	TotalFound int    `json:"total_found"`
	TokensUsed int    `json:"tokens_used"`
	End        string `json:"memories_end"`
}

func (a answer) ids() (ids []string) {
	for _, m := range a.Memories {
		ids = append(ids, m.ID)
	}
	return ids
}
