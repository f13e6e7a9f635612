package topics_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/ops/topics"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const text = `The importer reads the feeds of all suppliers each night and writes what it finds into the ledger, so that prices are right in the morning. It exists because suppliers send files and nothing else.

It is written in Go and is started by the scheduler at 02:30. A feed with more than 500 lines is cut into batches, and each batch is a transaction of its own.

A feed that stalls is given up after 90 s and tried again at noon; that was decided after the outage in spring, when one supplier held up all others. The lock on the ledger was the reason for it, and it is taken for each batch now and no longer for the whole feed.

It is open whether the importer should also read the feeds of partners, who send far larger files and send them during the day, and whether the ledger can bear it. Nobody has measured it so far, and no date is set for it.`

var facts = []string{
	"The importer is started by the scheduler at 02:30.", "A feed with more than 500 lines is cut into batches.",
	"A feed that stalls is given up after 90 s and tried again at noon.", "The importer is written in Go.",
}

// scripted answers every question with one text.
type scripted string

func (s scripted) ID() string { return "scripted" }

func (s scripted) Complete(context.Context, llm.Question) (llm.Answer, error) {
	return llm.Answer{Text: string(s)}, nil
}

func setup(t *testing.T, n int) (*topics.Desk, *postgres.Store) {
	t.Helper()
	s := pgtest.Open(t)
	redactor, err := redact.New(redact.Config{Key: []byte("a key for tests")})
	if err != nil {
		t.Fatal(err)
	}
	var list []memory.Memory
	for i := range n {
		said := fmt.Sprintf("The importer was seen at work in week %c of the year.", 'a'+i)
		if i < len(facts) {
			said = facts[i]
		}
		list = append(list, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: "project:shop", State: memory.StateActive, Kind: memory.KindFact,
			Text: said, Topics: []string{"importer"}, Importance: 5, Confidence: 0.8, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			CreatedAt: time.Now().UTC().Truncate(time.Microsecond), SeenCount: 1,
		})
	}
	if _, err := s.Commit(t.Context(), memory.DefaultTenant, change.Set{Memories: list}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	return &topics.Desk{Store: s, Redactor: redactor, Tenant: memory.DefaultTenant, Person: "human", Now: time.Now, NewID: ident.New}, s
}

// SPEC §11, S2.24: a person sees which summary is due, lets a model draft it, writes it,
// and puts an earlier one back.
func TestTopics(t *testing.T) {
	t.Parallel()
	d, s := setup(t, 16)
	ctx := t.Context()
	list, err := d.List(ctx, "", 2, 10, true)
	if err != nil || len(list) != 1 || list[0].Topic != "importer" || list[0].Memories != 16 || list[0].Due == "" {
		t.Fatalf("%+v, %v", list, err)
	}
	in, err := d.Find(ctx, "Importer", "")
	if err != nil || in.Scope != "project:shop" {
		t.Fatalf("%+v, %v", in, err)
	}
	if _, err := d.Draft(ctx, in); !errors.Is(err, topics.ErrNoModel) || !strings.Contains(err.Error(), "--file") {
		t.Errorf("without a model: %v", err)
	}
	d.Model = scripted(text + "\n\nIt runs on Kafka 3.7 since 2031-01-01.")
	draft, err := d.Draft(ctx, in)
	if err != nil || len(draft.Dropped) != 1 || strings.Contains(draft.Content, "Kafka") {
		t.Errorf("draft %+v, %v", draft, err)
	}
	if all, err := s.Summaries(ctx, memory.DefaultTenant, store.SummaryQuery{}); err != nil || len(all) != 0 {
		t.Errorf("a draft was stored: %v, %v", all, err)
	}
	_, first, err := d.StoreDraft(ctx, in)
	if err != nil || first.Memories != 16 {
		t.Fatalf("%+v, %v", first, err)
	}
	if m, err := s.Memory(ctx, memory.DefaultTenant, first.ID); err != nil || m.Authority != memory.OriginAgent || m.Origin == memory.OriginHuman {
		t.Errorf("a model's words are worth %v of %v, %v", m.Authority, m.Origin, err)
	}
	if list, err := d.List(ctx, "project:shop", 2, 10, true); err != nil || len(list) != 0 {
		t.Errorf("still due: %+v, %v", list, err)
	}
	second, err := d.Put(ctx, in, text+"\n\nIt is read each week.", "")
	if err != nil || second.Replaced != first.ID {
		t.Fatalf("%+v, %v", second, err)
	}
	third, err := d.Put(ctx, in, "", first.ID)
	if err != nil || third.Restored != first.ID || third.Replaced != second.ID {
		t.Errorf("%+v, %v", third, err)
	}
	if _, err := d.Find(ctx, "nothing", ""); err == nil {
		t.Error("an unknown topic is found")
	}
}
