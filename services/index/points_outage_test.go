package index_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	opsindex "github.com/winnowhq/winnow/services/ops/index"
)

// Promise 7: with Qdrant down, at the start or later, nothing is lost and searches
// are answered from Postgres, which the answer says; when it is back everything
// is as if nothing had been, without a restart of anybody.
func TestIndexServerOutage(t *testing.T) {
	t.Parallel()
	server := qdranttest.Start(t, qdranttest.Version)
	server.Stop() // its address is known, and nobody answers
	h := newHouse(t, server.Address)
	table := static.New()
	h.work(table)
	r, operator := h.searcher(table), h.operator(table)
	const away = "cannot be reached"

	early := h.remember("Feature flags live in LaunchDarkly.")
	h.look(r, "feature flags", "found while it never was there", excused(early[0].ID, away))
	status, err := opsindex.Status(t.Context(), operator)
	if err != nil || !strings.Contains(status.Problem, away) || status.Remedy == "" {
		t.Errorf("status %+v, %v", status, err)
	}

	server = qdranttest.Resume(t, qdranttest.Version, server.Address, server)
	h.look(r, "feature flags", "found in the index that came up", healthy(early[0].ID))
	h.settled()

	server.Stop()
	late := h.remember("The nightly seed job reads the Stripe test key from the vault.")
	h.look(r, "stripe key", "found while it is away", excused(late[0].ID, away))
	server = qdranttest.Resume(t, qdranttest.Version, server.Address, server)
	h.look(r, "stripe key", "found in the index that is back", healthy(late[0].ID))
	h.settled()
	if !h.equal(table) {
		t.Error("index and store differ")
	}

	// It comes back empty: a disk was lost.
	server.Stop()
	lost := h.remember("Deployments are rolled back with kubectl rollout undo.")
	qdranttest.Resume(t, qdranttest.Version, server.Address, nil)
	for question, id := range map[string]string{"feature flags": early[0].ID, "stripe key": late[0].ID, "rollout undo": lost[0].ID} {
		h.look(r, question, question+" after a lost disk", healthy(id))
	}
}

// A server that accepts connections and says nothing costs the first search a
// moment and the others nothing.
func TestIndexServerSilent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Silent(t))
	table := static.New()
	list := h.remember("Feature flags live in LaunchDarkly.")
	a := h.look(h.searcher(table), "feature flags", "found in Postgres", first(list[0].ID))
	if !noted(a, "cannot be reached") {
		t.Errorf("notes %q", a.Notes)
	}
}

func noted(a recall.Answer, what string) bool {
	return slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, what) })
}

// scripted is a server of a model whose mood can be changed.
type scripted struct {
	*embedtest.Server
	mood atomic.Pointer[embedtest.Reply]
}

func newScripted(t *testing.T, dim int) *scripted {
	t.Helper()
	s := &scripted{}
	s.Server = embedtest.Always(t, dim, func(w http.ResponseWriter, r *http.Request, in embedtest.Request, dim int) {
		(*s.mood.Load())(w, r, in, dim)
	})
	s.set(embedtest.Valid)
	return s
}

func (s *scripted) set(r embedtest.Reply) { s.mood.Store(&r) }

// asked is how often a memory's text was embedded, questions left out.
func (s *scripted) asked(text string) (n int) {
	for _, r := range s.Requests() {
		for _, in := range r.Input {
			if in == text {
				n++
			}
		}
	}
	return n
}

// model asks the server, and waits for an answer: it asks for nothing twice because
// it took a while.
func (s *scripted) model(t testing.TB, dim int) embed.Embedder {
	t.Helper()
	return s.modelWithin(t, dim, patience)
}

// modelWithin gives up a request after a time.
func (s *scripted) modelWithin(t testing.TB, dim int, timeout time.Duration) embed.Embedder {
	t.Helper()
	e, err := openai.New(openai.Config{
		URL: s.URL, Model: "scripted", Dim: dim, Timeout: timeout, Attempts: 2, Backoff: time.Millisecond, MaxWait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Whatever a model's server does, a new memory is found by its words at once,
// which the answer says, and by its vector when the server is well again.
// Nothing of a bad answer gets into the index.
func TestModelOutage(t *testing.T) {
	t.Parallel()
	const dim = 16
	for name, reply := range map[string]embedtest.Reply{
		"wrong dimension": embedtest.WrongDimension,
		"NaN":             embedtest.NaN,
		"infinite":        embedtest.Infinite,
		"half an answer":  embedtest.CutOff,
		"slow":            embedtest.Slow,
		"429":             embedtest.TooMany("3600"),
		"500":             embedtest.Refuse(http.StatusInternalServerError, ""),
		"wrong model":     embedtest.Refuse(http.StatusNotFound, "model_not_found"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
			server := newScripted(t, dim)
			server.set(reply)
			model := server.modelWithin(t, dim, time.Second) // one mood never answers
			h.work(model)
			r, operator := h.searcher(model), h.operator(model)
			list := h.remember("Feature flags live in LaunchDarkly.")
			a := h.look(r, "flags", "found by its words", first(list[0].ID))
			if !noted(a, "words alone are compared") {
				t.Errorf("notes %q", a.Notes)
			}
			h.settled()
			status, err := opsindex.Status(t.Context(), operator)
			if err != nil || !status.Lacking || status.Problem == "" {
				t.Errorf("status %+v, %v", status, err)
			}
			if _, err := opsindex.Reconcile(t.Context(), operator, nil); err == nil || !strings.Contains(err.Error(), "embed") {
				t.Errorf("reconcile says nothing of it: %v", err)
			}
			server.set(embedtest.Valid)
			h.await("its vector is in the index", func() bool {
				status, err := opsindex.Status(t.Context(), operator)
				return err == nil && status.Problem == "" && h.equal(model)
			})
			h.look(r, "flags", "found by both", healthy(list[0].ID))
		})
	}
}
