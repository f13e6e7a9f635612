package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// Fifty secrets of twenty kinds come in through every intake, in every field that
// people put secrets into, and the whole fleet processes them with a model. None is
// in any place where data is stored or shown: the database, the stream's files, the
// logs, the requests to the model, the vault with its history, the index. SPEC §7,
// promise 5.
func TestCanary(t *testing.T) {
	f := newFleet(t)
	testenv.Require(t, testenv.CapabilityGit)
	f.log.recordAll()
	model := llmtest.NewServer(t, llmtest.Always(llmtest.Valid))
	index := qdranttest.Start(t, qdranttest.Version)
	vault, door := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", testenv.Port(t))

	similar := "WINNOW_QDRANT_URL=" + index.Address
	f.run("ingest", "ingest", "", "WINNOW_HTTP_ADDR="+door, "WINNOW_LOG_LEVEL=debug")
	f.run("distill", "distill", "", "WINNOW_LLM_URL="+model.URL, "WINNOW_LLM_MODEL=scripted", "WINNOW_LOG_LEVEL=debug")
	f.run("triage", "triage", "", "WINNOW_LOG_LEVEL=debug")
	f.run("relay", "relay", "")
	f.run("index", "index", "", "WINNOW_VAULT_DIR="+vault, similar, "WINNOW_LOG_LEVEL=debug")

	planted := plant(50)
	sent := f.sendCanaries(planted, "http://"+door)
	f.awaitSessions(sent.sessions)
	eventually(t, waitTimeout, "every proposal is decided, and what a model found too", func() (bool, string) {
		decided := f.count(`select count(distinct proposal_id) from decisions`)
		open := f.count(`select count(*) from outbox where published_at is null`)
		learned := f.count(`select count(*) from proposals where session_id like 'canary-%' and kind = 'strategy'`)
		return decided >= sent.proposals && open == 0 && learned > 0, fmt.Sprintf("%d of %d, %d in the outbox, %d from sessions", decided, sent.proposals, open, learned)
	})
	f.vaultHoldsEverything(vault)
	eventually(t, waitTimeout, "the index has every memory", func() (bool, string) {
		n, all := 0, f.count(`select count(*) from memories`)
		for _, list := range points(t, index.Address).pieces {
			n += len(list)
		}
		return all > 0 && n >= all, fmt.Sprintf("%d of %d", n, all)
	})

	found := 0
	for _, sink := range []sink{
		f.database(), f.streams(), f.logs(), asked(model), f.history(vault), points(t, index.Address),
	} {
		if len(sink.pieces) == 0 {
			t.Errorf("%s: nothing was read, so nothing is shown", sink.name)
		}
		for _, c := range planted {
			if where, ok := sink.holds(c.secret); ok {
				found++
				t.Errorf("%s: a secret of kind %s is in %s", sink.name, c.kind, where)
			}
		}
		t.Logf("%s: %d pieces, %d kB", sink.name, len(sink.pieces), sink.size()>>10)
	}
	if n := f.count(`select count(*) from sessions where redactions > 0`); n == 0 {
		t.Error("no session counts a replaced secret")
	}
	if found == 0 {
		t.Logf("%d secrets of %d kinds, none found", len(planted), len(kinds))
	}
}

// tally of what was sent.
type canaries struct{ sessions, proposals int }

// sendCanaries sends each secret through every intake.
func (f *fleet) sendCanaries(planted []canary, door string) canaries {
	f.t.Helper()
	var n canaries
	client, err := publish.New(f.nc, publish.WithPrincipal("agent"))
	if err != nil {
		f.t.Fatal(err)
	}
	for i, c := range planted {
		p := &winnowv1.ProposalCreated{
			Scope: "project:canary", Text: fmt.Sprintf("2026-11-%02d: `deploy-%d` reads its settings from the vault. %s", i%28+1, i, c.text),
			Title: c.text, Tags: []string{"deploy", c.secret + " " + c.text}, Category: "note",
			Evidence: []*winnowv1.Evidence{{Role: "tool", Text: c.text}},
		}
		if i%2 == 0 {
			if _, err := client.Proposal(f.t.Context(), p); err != nil {
				f.t.Fatal(err)
			}
		} else {
			f.post(door+"/api/proposals", map[string]any{"scope": p.Scope, "text": p.Text, "tags": p.Tags, "title": p.Title})
		}
		n.proposals++
		s := &winnowv1.SessionCompleted{
			SessionId: fmt.Sprintf("canary-%d", i), Scope: "project:canary", Format: "openai-chat", Outcome: "success",
			Task: "Deploy; " + c.text, Agent: "deployer",
		}
		trace := c.trace(i)
		switch i % 3 {
		case 0:
			s.Trace = &winnowv1.SessionCompleted_Inline{Inline: trace}
		case 1:
			ref, err := client.Trace(f.t.Context(), bytes.NewReader(trace))
			if err != nil {
				f.t.Fatal(err)
			}
			s.Trace = &winnowv1.SessionCompleted_Reference{Reference: ref}
		case 2:
			f.post(door+"/api/sessions", map[string]any{"session_id": s.SessionId, "scope": s.Scope, "format": s.Format, "task": s.Task, "inline": trace})
			n.sessions++
			continue
		}
		if _, err := client.SessionCompleted(f.t.Context(), s); err != nil {
			f.t.Fatal(err)
		}
		n.sessions++
	}
	// An unreadable event becomes a dead letter and is logged.
	for _, c := range planted[:5] {
		if _, err := f.js.Publish(f.t.Context(), "memory.proposal.created.agent", []byte(`{"scope":"nowhere","text":"`+c.secret)); err != nil {
			f.t.Fatal(err)
		}
	}
	return n
}

func (f *fleet) post(url string, body any) {
	f.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, waitTimeout, "the intake answers", func() (bool, string) {
		resp, err := http.Post(url, "application/json", bytes.NewReader(raw))
		if err != nil {
			return false, err.Error()
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusAccepted, resp.Status
	})
}

// awaitSessions waits until so many sessions are stored and distilled.
func (f *fleet) awaitSessions(want int) {
	f.t.Helper()
	eventually(f.t, waitTimeout, "every session distilled", func() (bool, string) {
		n := f.count(`select count(*) from sessions where state = 'distilled'`)
		return n >= want, fmt.Sprintf("%d of %d", n, want)
	})
}

// vaultHoldsEverything waits until the files have every promoted memory.
func (f *fleet) vaultHoldsEverything(folder string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, "the vault is written", func() (bool, string) {
		text := f.history(folder)
		n := f.count(`select count(*) from memories where state = 'active' and kind <> 'strategy'`)
		got := strings.Count(string(bytes.Join(text.pieces["git log"], nil)), "`deploy-")
		return n > 0 && got >= n, fmt.Sprintf("%d of %d", got, n)
	})
}
