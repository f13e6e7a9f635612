package ops_test

import (
	"errors"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/ops"
)

// ingested stores a session of two turns, as ingest does.
func (b *bench) ingested(name, principal string) memory.Session {
	b.Helper()
	w := transcript.NewWriter()
	for n, text := range []string{"make the checkout faster", "the pool is 40 now " + name + principal} {
		l := transcript.Line{Turn: trace.Turn{N: n + 1, Role: trace.RoleUser, Text: text}}
		l.Span = trust.Span{Turn: n + 1, Role: l.Role, Origin: memory.OriginFirstParty}
		if n == 1 {
			l.Role, l.Span.Origin, l.Span.From = trace.RoleAssistant, memory.OriginExternal, 1
		}
		if err := w.Add(l); err != nil {
			b.Fatal(err)
		}
	}
	chunks, hash, bytes, err := w.Close()
	if err != nil {
		b.Fatal(err)
	}
	s := memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: memory.DefaultTenant, Scope: scope, Name: name, Principal: principal,
		Highest: memory.OriginFirstParty, Format: "winnow", Outcome: "success", IngestedAt: b.now, Hash: hash, Turns: 2, Bytes: bytes,
		State: memory.SessionIngested,
	}
	b.commit(change.Set{Sessions: []memory.Session{s}, Traces: []change.Trace{{SessionID: s.ID, Chunks: chunks}}})
	return s
}

// A session's story has its proposals and their outcomes, and on request the
// transcript with its origins.
func TestSessionStory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.ingested("run-7", "bot")
	promoted := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact")
	waits := b.said("bot", "run-7", lint, memory.VerdictNeedsReview, "")
	b.said("other", "run-7", ports, memory.VerdictPromoted, "fact") // another publisher's session of that name
	for _, name := range []string{s.ID, "run-7"} {
		story, err := b.ops.Session(t.Context(), name, false)
		if err != nil || story.ID != s.ID || story.Trace != nil || len(story.Lessons) != 2 {
			t.Fatalf("%s: %+v, %v", name, story, err)
		}
		if l := story.Lessons[0]; l.Proposal != promoted.ProposalID || l.Memory != promoted.MemoryID || l.Rule != "fact" {
			t.Errorf("first lesson %+v", l)
		}
		if l := story.Lessons[1]; l.Proposal != waits.ProposalID || l.State != memory.ProposalNeedsReview || l.Reason == "" {
			t.Errorf("second lesson %+v", l)
		}
	}
	story, err := b.ops.Session(t.Context(), s.ID, true)
	if err != nil || len(story.Trace) != 2 || story.Trace[1].Span.Origin != memory.OriginExternal || story.Trace[0].Text != "make the checkout faster" {
		t.Errorf("trace %+v, %v", story.Trace, err)
	}
	b.ingested("run-7", "other")
	if _, err := b.ops.Session(t.Context(), "run-7", false); !errors.Is(err, ops.ErrAmbiguous) {
		t.Errorf("a name of two publishers: %v", err)
	}
	if _, err := b.ops.Session(t.Context(), "run-70", false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a name of nobody: %v", err)
	}
	pgtest.ShortRetention(t, b.ops.Store.(store.Store))
	if _, err := b.ops.Store.(store.Janitor).Sweep(t.Context(), store.Retention{Traces: time.Microsecond}); err != nil {
		t.Fatal(err)
	}
	if story, err = b.ops.Session(t.Context(), s.ID, true); err != nil || !story.TraceGone || story.Turns != 2 {
		t.Errorf("after retention %+v, %v", story, err)
	}
}

func TestSessionList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.ingested("run-1", "bot"), b.ingested("run-2", "other")
	b.commit(change.Set{SessionUpdates: []change.SessionUpdate{{ID: first.ID, State: memory.SessionDistilled, DistilledAt: b.now}}})
	for name, c := range map[string]struct {
		f    ops.SessionFilter
		want []string
	}{
		"all":       {ops.SessionFilter{}, []string{second.ID, first.ID}},
		"scope":     {ops.SessionFilter{Scope: string(scope), Limit: 1}, []string{second.ID}},
		"elsewhere": {ops.SessionFilter{Scope: "project:other"}, nil},
		"principal": {ops.SessionFilter{Principal: "bot"}, []string{first.ID}},
		"state":     {ops.SessionFilter{State: "ingested"}, []string{second.ID}},
	} {
		list, err := b.ops.Sessions(t.Context(), c.f)
		var got []string
		for _, s := range list {
			got = append(got, s.ID)
		}
		if err != nil || len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	for name, f := range map[string]ops.SessionFilter{"state": {State: "asleep"}, "scope": {Scope: "nowhere"}} {
		if _, err := b.ops.Sessions(t.Context(), f); err == nil {
			t.Errorf("a %s that does not exist was taken", name)
		}
	}
}
