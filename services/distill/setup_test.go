package distill_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const tenant = memory.DefaultTenant

// rig is a distiller on a bus and a store of its own, with a model where it is
// given a script.
type rig struct {
	*workertest.Bench
	testing.TB
	model *llmtest.Server
}

// setup starts a distiller. A nil script configures no model.
func setup(t testing.TB, def worker.Definition, script llmtest.Script, adjust ...func(*worker.Deps)) *rig {
	t.Helper()
	r := &rig{TB: t}
	parts := func(d *worker.Deps) {
		if script != nil {
			r.model = llmtest.NewServer(t, script)
			d.Model = asking(t, r.model)
		}
	}
	r.Bench = workertest.New(t, def, append([]func(*worker.Deps){parts}, adjust...)...)
	return r
}

// asking is a model that tries once, so that requests can be counted. Its time is
// for a server that hangs.
func asking(t testing.TB, s *llmtest.Server) *openai.Model {
	t.Helper()
	m, err := openai.New(openai.Config{URL: s.URL, Model: "small", Attempts: 1, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var ended = time.Date(2026, 3, 2, 15, 4, 5, 0, time.UTC)

// keep stores a session as ingest does, and returns what ingest tells then.
func keep(t testing.TB, s store.Committer, turns []trace.Turn, change func(*memory.Session)) (memory.Session, bus.Outgoing) {
	t.Helper()
	session := memory.Session{
		ID: ident.New("sess_"), Tenant: tenant, Scope: "project:shop", Name: "run-" + ident.New(""), Principal: "agent",
		Highest: memory.OriginFirstParty, Format: string(trace.FormatClaude), Project: "github.com/acme/shop", Outcome: "success",
		StartedAt: ended.Add(-time.Hour), EndedAt: ended, IngestedAt: ended.Add(time.Minute), Turns: len(turns), State: memory.SessionIngested,
	}
	if change != nil {
		change(&session)
	}
	w := transcript.NewWriter()
	for i, span := range trust.Assess(turns, trust.Options{Config: trust.DefaultConfig(), Format: trace.Format(session.Format), Highest: session.Highest}) {
		if err := w.Add(transcript.Line{Turn: turns[i], Span: span}); err != nil {
			t.Fatal(err)
		}
	}
	chunks, hash, bytes, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	session.Hash, session.Bytes = hash, bytes
	store1(t, s, session, chunks)
	return session, told(t, session.ID)
}

func store1(t testing.TB, s store.Committer, session memory.Session, chunks [][]byte) {
	t.Helper()
	set := change.Set{Sessions: []memory.Session{session}, Traces: []change.Trace{{SessionID: session.ID, Chunks: chunks}}}
	if _, err := s.Commit(t.Context(), tenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
}

// told is the event that a session is there.
func told(t testing.TB, id string) bus.Outgoing {
	t.Helper()
	data, err := proto.Marshal(&winnowv1.SessionIngested{Id: "told-" + id, SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	return bus.Outgoing{
		ID: "told-" + id, Subject: event.SubjectSessionIngested, Data: data,
		Header: map[string][]string{"winnow-tenant": {string(tenant)}, "ce-datacontenttype": {"application/protobuf"}},
	}
}

// session is the row as it is now.
func (r *rig) session(id string) memory.Session {
	r.Helper()
	s, err := r.Store().Session(r.Context(), tenant, id)
	if err != nil {
		r.Fatal(err)
	}
	return s
}

// proposed are the proposals that wait to be published, with their subjects.
func (r *rig) proposed() (list []*winnowv1.ProposalCreated, rows []store.OutboxRow) {
	r.Helper()
	all, err := r.Store().Unpublished(r.Context(), 10_000)
	if err != nil {
		r.Fatal(err)
	}
	for _, row := range all {
		if !strings.HasPrefix(row.Subject, event.SubjectProposalCreated) {
			continue
		}
		env, err := event.Parse(row.Subject, row.Header, row.Data, "")
		msg := &winnowv1.ProposalCreated{}
		if err == nil {
			err = event.Unmarshal(env, msg)
		}
		if err != nil {
			r.Fatal(err)
		}
		list, rows = append(list, msg), append(rows, row)
	}
	return list, rows
}

// calls is how many questions the ledger counts.
func (r *rig) calls() int {
	r.Helper()
	n, _, err := r.Store().Spent(r.Context(), tenant, time.Now().Add(-24*time.Hour))
	if err != nil {
		r.Fatal(err)
	}
	return n
}

// fixed is a session in which something is learned: a person says what they
// want, a test fails, the agent finds out why.
func fixed(n int) []trace.Turn {
	shell := trace.Tool{Name: "Bash", Kind: trace.KindShell, Call: "c1", Command: "go test ./checkout"}
	again := shell
	again.Call = "c2"
	return []trace.Turn{
		{N: 1, Role: trace.RoleUser, Text: fmt.Sprintf("The checkout tests fail since release %d.4.0. We always run them with -race here.", n)},
		{N: 2, Role: trace.RoleAssistant, Text: "go test ./checkout", Tool: shell},
		{N: 3, Role: trace.RoleTool, Text: fmt.Sprintf("--- FAIL: TestTotal%d (0.02s)\n    total_test.go:41: got 3, want 4", n), Tool: shell, Error: true, Settled: true},
		{N: 4, Role: trace.RoleAssistant, Text: fmt.Sprintf("The rounding in checkout/total%d.go truncates cents. I change it to round half up.", n)},
		{N: 5, Role: trace.RoleAssistant, Text: "go test ./checkout", Tool: again},
		{N: 6, Role: trace.RoleTool, Text: "ok  \tcheckout\t0.021s", Tool: again, Settled: true},
		{N: 7, Role: trace.RoleAssistant, Text: fmt.Sprintf("Fixed: checkout/total%d.go now rounds half up, and the checkout tests pass with -race.", n)},
		{N: 8, Role: trace.RoleUser, Text: "Great, that works."},
	}
}

// several stores sessions that differ in what they say.
func (r *rig) several(n int) (sessions []memory.Session, events []bus.Outgoing) {
	r.Helper()
	for i := range n {
		s, e := keep(r, r.Store(), fixed(i+1), nil)
		sessions, events = append(sessions, s), append(events, e)
	}
	return sessions, events
}
