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

// Promise 7: with Qdrant down, at the start or later, nothing is lost. Postgres
// answers searches, and the answer reports it. After the outage everything works as
// before, without a restart.
func TestIndexServerOutage(t *testing.T) {
	t.Parallel()
	server := qdranttest.Start(t, qdranttest.Version)
	server.Stop() // its address is known, and nothing listens there
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

	// The server restarts empty, as after the loss of a disk.
	server.Stop()
	lost := h.remember("Deployments are rolled back with kubectl rollout undo.")
	qdranttest.Resume(t, qdranttest.Version, server.Address, nil)
	for question, id := range map[string]string{"feature flags": early[0].ID, "stripe key": late[0].ID, "rollout undo": lost[0].ID} {
		h.look(r, question, question+" after a lost disk", healthy(id))
	}
}

// A server that accepts connections and never answers delays the first search by a
// moment and later searches not at all.
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

// scripted is a model server with a behaviour that tests change.
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

// asked returns how often a memory's text was embedded, queries excluded.
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

// model returns a client of the server that waits for an answer, so that a slow
// answer does not cause a second request.
func (s *scripted) model(t testing.TB, dim int) embed.Embedder {
	t.Helper()
	return s.modelWithin(t, dim, patience)
}

// modelWithin returns a client whose requests have a timeout.
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

// Independent of the behaviour of the model's server, a new memory is found
// immediately by its words, which the answer reports, and by its vector after the
// server recovers. Nothing of an invalid answer enters the index.
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
			model := server.modelWithin(t, dim, time.Second) // one behaviour never answers
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
