package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	distillSessions = 60
	distillHands    = 4
	// distillKills are made while the model thinks; the crash points come on top.
	distillKills = 6
)

// The distiller dies while a model works on its sessions, before the commit, and
// before the acknowledgement. Afterwards every session has one call in the ledger and
// one set of proposals. No session was sent to the model more often than processes
// died (SPEC §8, §16.1).
func TestKillNineWhileAModelThinks(t *testing.T) {
	f := newFleet(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	model := llmtest.NewServer(t, llmtest.Always(llmtest.Hold(asked, answer, llmtest.Valid)))
	settings := []string{
		"WINNOW_LLM_URL=" + model.URL, "WINNOW_LLM_MODEL=scripted",
		fmt.Sprintf("WINNOW_REASONING_BANK_DISTILLATION_WORKER_COUNT=%d", distillHands),
	}
	f.run("ingest", "ingest", "")
	f.run("relay", "relay", "")
	client, err := publish.New(f.nc)
	if err != nil {
		t.Fatal(err)
	}
	for n := range distillSessions {
		if _, err := client.SessionCompleted(t.Context(), sessiontest.Event(9, n, 4000)); err != nil {
			t.Fatal(err)
		}
	}

	// Each process gets its full concurrency of requests, and no answer.
	for life := range distillKills {
		p := f.run(fmt.Sprintf("distill-%d", life), "distill", "", settings...)
		for range distillHands {
			select {
			case <-asked:
			case <-p.done:
				t.Fatalf("distill-%d ended by itself: %v", life, p.err)
			case <-time.After(waitTimeout):
				t.Fatalf("distill-%d does not ask", life)
			}
		}
		p.kill()
	}
	close(answer)
	go func() {
		for range asked { // releases the waiting requests
		}
	}()
	defer close(asked)

	// Answers are stored now, and processes die between that and the commit.
	kills := distillKills
	for i, point := range []worker.Point{worker.PointBeforeCommit, worker.PointBeforeAck, worker.PointBeforeCommit} {
		p := f.run(fmt.Sprintf("distill-at-%d", i), "distill", string(point)+":3", settings...)
		if !p.killed() {
			t.Fatalf("%s: the process ended by itself: %v", point, p.err)
		}
		kills++
	}

	f.run("distill-calm", "distill", "", settings...)
	eventually(t, waitTimeout, "all sessions distilled", func() (bool, string) {
		n := f.count(`select count(*) from sessions where state = 'distilled'`)
		return n == distillSessions, fmt.Sprintf("%d of %d", n, distillSessions)
	})
	f.distilledOnce(t, model, kills)
}

// distilledOnce compares the ledger, the proposals and the requests.
func (f *fleet) distilledOnce(t *testing.T, model *llmtest.Server, kills int) {
	t.Helper()
	if n := f.count(`select count(*) from model_calls where answered_at is not null`); n != distillSessions {
		t.Errorf("%d answered calls, want one a session", n)
	}
	if n := f.count(`select sum(calls)::int from model_days`); n != distillSessions {
		t.Errorf("the budget counts %d calls, want %d", n, distillSessions)
	}
	if n := f.count(`select count(*) from sessions where distiller <> 'scripted'`); n != 0 {
		t.Errorf("%d sessions were not read by the model", n)
	}
	proposed := f.count(`select count(*) from outbox where subject like 'memory.proposal.created%'`)
	if extracted := f.count(`select sum(extracted)::int from sessions`); proposed != extracted || proposed == 0 {
		t.Errorf("%d proposals went out, the sessions' rows say %d", proposed, extracted)
	}
	if twice := f.count(`select count(*) - count(distinct event_id) from outbox where subject like 'memory.proposal.created%'`); twice != 0 {
		t.Errorf("%d proposals went out twice", twice)
	}
	requests, questions := model.Counts()
	most := 0
	for _, n := range model.Asked() {
		most = max(most, n)
	}
	if questions != distillSessions || most > 1+kills {
		t.Errorf("%d questions, the most asked one %d times; want %d, and at most %d times", questions, most, distillSessions, 1+kills)
	}
	t.Logf("%d kills; %d requests for %d sessions, the most asked one %d times", kills, requests, questions, most)
}
