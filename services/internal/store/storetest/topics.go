package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const topicAuth = "auth"

// onTopic returns a memory with topics.
func onTopic(scope memory.Scope, text string, topics ...string) memory.Memory {
	m := remembered(scope, text)
	m.Topics = topics
	return m
}

// summaryOf returns a summary of auth in scope A.
func summaryOf(text string, count int) memory.Memory {
	m := onTopic(scopeA, text, topicAuth)
	m.Kind, m.SummaryTopic, m.SummaryCount, m.SummaryAt = memory.KindSummary, topicAuth, count, now()
	return m
}

// archiving returns the update that replaces a summary.
func archiving(m memory.Memory, successor string) change.MemoryUpdate {
	return change.MemoryUpdate{
		ID: m.ID, State: memory.StateArchived, Confidence: m.Confidence, SeenCount: m.SeenCount,
		ArchivedAt: now(), ArchiveReason: "replaced", SuccessorID: successor,
	}
}

// S2.18: a topic counts its active memories that are no summaries, by topics or by
// macro topics, in its scope and its tenant.
func testTopics(t *testing.T, s store.Store) {
	ctx := t.Context()
	var list []memory.Memory
	for i := range 4 {
		list = append(list, onTopic(scopeA, fmt.Sprint("fact ", i), topicAuth, "login"))
	}
	macro, both, elsewhere, gone := onTopic(scopeA, "macro"), onTopic(scopeA, "both", topicAuth), onTopic(scopeB, "other", topicAuth), onTopic(scopeA, "gone", topicAuth)
	macro.MacroTopics, both.MacroTopics = []string{topicAuth}, []string{topicAuth}
	list = append(list, macro, both, elsewhere, gone, summaryOf("summary", 6))
	mustCommit(t, s, change.Set{Memories: list})
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{archiving(gone, "")}})

	here, there, none := store.Topic{Scope: scopeA, Name: topicAuth}, store.Topic{Scope: scopeB, Name: topicAuth}, store.Topic{Scope: scopeA, Name: "Auth"}
	counts, err := s.TopicCounts(ctx, tenant, here, there, none)
	if err != nil || len(counts) != 2 || counts[here] != 6 || counts[there] != 1 {
		t.Errorf("counts %v, %v", counts, err)
	}
	if counts, err := s.TopicCounts(ctx, memory.SystemTenant, here); err != nil || len(counts) != 0 {
		t.Errorf("another tenant counts %v, %v", counts, err)
	}
	if counts, err := s.TopicCounts(ctx, tenant); err != nil || len(counts) != 0 {
		t.Errorf("nothing asked: %v, %v", counts, err)
	}
	members, err := s.TopicMembers(ctx, tenant, store.TopicQuery{Scopes: []memory.Scope{scopeA}, Name: topicAuth, Limit: 5})
	if err != nil || len(members) != 5 || members[0].ID != list[0].ID || members[0].Text != "fact 0" {
		t.Errorf("members %+v, %v", members, err)
	}
	if all, err := s.TopicMembers(ctx, tenant, store.TopicQuery{Name: topicAuth, Limit: 50}); err != nil || len(all) != 7 {
		t.Errorf("%d members in all scopes, %v", len(all), err)
	}
	lines, err := s.TopicList(ctx, tenant, store.TopicListQuery{Scopes: []memory.Scope{scopeA}})
	if err != nil || len(lines) != 2 || lines[0].Topic != here || lines[0].Memories != 6 || lines[0].SummaryID != list[8].ID ||
		lines[0].SummaryCount != 6 || lines[1].Name != "login" || lines[1].Memories != 4 || lines[1].SummaryID != "" {
		t.Errorf("list %+v, %v", lines, err)
	}
	if lines, err := s.TopicList(ctx, tenant, store.TopicListQuery{Name: "login", Least: 5}); err != nil || len(lines) != 0 {
		t.Errorf("list of large ones %+v, %v", lines, err)
	}
}

// S2.1, S2.20: one summary of a topic is in force; an archived one is of another
// kind, keeps its topic in a field of its own and gets everything back when it is
// restored.
func testSummaries(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, second := summaryOf("first", 10), summaryOf("second", 12)
	mustCommit(t, s, change.Set{Memories: []memory.Memory{first}})
	before, err := s.Memory(ctx, tenant, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, tenant, change.Set{Memories: []memory.Memory{summaryOf("rival", 10)}}, store.InboxKey{}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a second summary in force: %v", err)
	}
	// The new row comes before the old one leaves, in one transaction.
	mustCommit(t, s, change.Set{Memories: []memory.Memory{second}, MemoryUpdates: []change.MemoryUpdate{archiving(first, second.ID)}})
	old, err := s.Memory(ctx, tenant, first.ID)
	if err != nil || old.Kind != memory.KindSummaryArchived || len(old.Topics) != 0 || old.SummaryTopic != topicAuth || old.SummaryCount != 10 {
		t.Errorf("archived %+v, %v", old, err)
	}
	for state, want := range map[memory.State][]string{"": {second.ID, first.ID}, memory.StateActive: {second.ID}, memory.StateArchived: {first.ID}} {
		list, err := s.Summaries(ctx, tenant, store.SummaryQuery{Scopes: []memory.Scope{scopeA}, Topic: topicAuth, State: state})
		if got := ids(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("summaries %q: %v, %v, want %v", state, got, err, want)
		}
	}
	// An undo exchanges them in one statement, in either order.
	restored := change.MemoryUpdate{ID: first.ID, State: memory.StateActive, Confidence: first.Confidence, SeenCount: first.SeenCount}
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{restored, archiving(second, "")}})
	after, err := s.Memory(ctx, tenant, first.ID)
	after.Version = before.Version
	same(t, before)(after, err)
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{{ID: second.ID, State: memory.StateActive, Confidence: 0.5, SeenCount: 1}, archiving(first, second.ID)}})

	// A summary without a topic has nothing to clear, and is no topic's summary.
	free := remembered(scopeA, "free")
	free.Kind, free.Topics = memory.KindSummary, []string{"x"}
	mustCommit(t, s, change.Set{Memories: []memory.Memory{free}})
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{archiving(free, "")}})
	if m, err := s.Memory(ctx, tenant, free.ID); err != nil || m.Kind != memory.KindSummaryArchived || len(m.Topics) != 1 {
		t.Errorf("without a topic %+v, %v", m, err)
	}
	if list, err := s.Summaries(ctx, tenant, store.SummaryQuery{}); err != nil || len(list) != 2 {
		t.Errorf("all summaries %v, %v", ids(list), err)
	}
}

// Of writers at once, one gets its summary in.
func testSummariesAtOnce(t *testing.T, s store.Store) {
	const writers = 8
	won := make([]bool, writers)
	var g errgroup.Group
	for i := range writers {
		g.Go(func() error {
			_, err := s.Commit(t.Context(), tenant, change.Set{Memories: []memory.Memory{summaryOf(fmt.Sprint("by ", i), 10)}}, store.InboxKey{})
			won[i] = err == nil
			if errors.Is(err, store.ErrConflict) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(won, func(w bool) bool { return !w })); n != 1 {
		t.Errorf("%d summaries of one topic came in", n)
	}
}

// D17: what a caller searched and read is its own: of the principal and the session,
// since a time.
func testResearch(t *testing.T, s store.Store) {
	ctx := t.Context()
	at := now()
	deep := store.Searched{Deep: true, Topic: topicAuth, Words: []string{"auth", `a"b`}, Found: 40, At: at}
	plain := store.Searched{Words: []string{"token"}, Found: 3, At: at}
	read := func(id string, at time.Time) store.Reading { return store.Reading{MemoryID: id, At: at} }
	// Those of several callers are written at once, also where two read the same.
	for _, list := range [][]store.Research{
		nil,
		{{}, {Principal: "agent", Session: "s1", Searches: []store.Searched{plain, deep}, Read: []store.Reading{read("mem_b", at), read("mem_a", at)}}},
		{
			{Principal: "agent", Session: "s1", Read: []store.Reading{read("mem_a", at.Add(time.Hour)), read("mem_old", at.Add(-48*time.Hour))}},
			{Principal: "agent", Session: "s1", Read: []store.Reading{read("mem_a", at.Add(time.Minute))}},
			{Principal: "agent", Session: "", Read: []store.Reading{read("mem_c", at)}},
			{Principal: "human", Session: "s1", Searches: []store.Searched{deep}},
		},
	} {
		if err := s.RecordResearch(ctx, tenant, list...); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Research(ctx, tenant, "agent", "s1", at.Add(-24*time.Hour))
	if err != nil || len(got.Searches) != 1 || !got.Searches[0].Deep || got.Searches[0].Topic != topicAuth || got.Searches[0].Found != 40 ||
		!slices.Equal(got.Searches[0].Words, deep.Words) || !got.Searches[0].At.Equal(at) {
		t.Errorf("searches %+v, %v", got.Searches, err)
	}
	if len(got.Read) != 2 || got.Read[0].MemoryID != "mem_a" || !got.Read[0].At.Equal(at.Add(time.Hour)) || got.Read[1].MemoryID != "mem_b" {
		t.Errorf("read %+v", got.Read)
	}
	for _, other := range []struct {
		tenant             memory.Tenant
		principal, session string
		searches, read     int
	}{{tenant, "agent", "", 0, 1}, {tenant, "human", "s1", 1, 0}, {tenant, "human", "", 0, 0}, {memory.SystemTenant, "agent", "s1", 0, 0}} {
		got, err := s.Research(ctx, other.tenant, other.principal, other.session, at.Add(-24*time.Hour))
		if err != nil || len(got.Searches) != other.searches || len(got.Read) != other.read {
			t.Errorf("%+v: %+v, %v", other, got, err)
		}
	}
	// All of it, of every caller of the tenant and no other, the newest first.
	for _, c := range []struct {
		of   store.ResearchQuery
		want string
	}{
		{store.ResearchQuery{}, "mem_a agent/s1 deep agent/s1 plain deep human/s1 mem_b mem_c mem_old"},
		{store.ResearchQuery{Principal: "human"}, "deep human/s1"},
		{store.ResearchQuery{Principal: "agent", Session: "s1", Since: at, Limit: 1}, "mem_a agent/s1"},
	} {
		lines, err := s.ResearchLines(ctx, tenant, c.of)
		var got []string
		for _, l := range lines {
			got = append(got, l.MemoryID, l.Principal+"/"+l.Session)
			if l.Search != nil {
				got = append(got, map[bool]string{true: "deep", false: "plain"}[l.Search.Deep])
			}
		}
		for _, word := range strings.Fields(c.want) {
			if !slices.Contains(got, word) {
				t.Errorf("%+v: no %s in %v", c.of, word, got)
			}
		}
		if err != nil || !slices.IsSortedFunc(lines, func(a, b store.ResearchLine) int { return b.At.Compare(a.At) }) ||
			c.of.Limit == 0 && c.of.Principal == "" && len(lines) != 7 || c.of.Principal == "human" && len(lines) != 1 || c.of.Limit == 1 && len(lines) != 1 {
			t.Errorf("%+v: %+v, %v", c.of, lines, err)
		}
	}
	if lines, err := s.ResearchLines(ctx, memory.SystemTenant, store.ResearchQuery{}); err != nil || len(lines) != 0 {
		t.Errorf("another tenant: %+v, %v", lines, err)
	}
	// Retention forgets what no summary looks back on.
	swept, err := s.Sweep(ctx, store.Retention{Research: 24 * time.Hour})
	if err != nil || swept["readings"] != 1 || swept["searches"] != 0 {
		t.Errorf("swept %v, %v", swept, err)
	}
}

func ids(list []memory.Memory) []string {
	var out []string
	for i := range list {
		out = append(out, list[i].ID)
	}
	return out
}
