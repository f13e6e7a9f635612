package index_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// A worker is killed after it stored a vector and before it wrote the vector to the
// index. No event reports it, no row lacks anything and the counts agree. The next
// worker finds it nevertheless.
func TestVectorThatADeadWorkerKept(t *testing.T) {
	t.Parallel()
	const dim = 16
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	server := newScripted(t, dim)
	server.set(embedtest.Refuse(500, ""))
	model := server.model(t, dim)
	stop := h.work(model)
	list := h.remember("Feature flags live in LaunchDarkly.")
	h.look(h.searcher(model), "flags", "found by its words", first(list[0].ID))
	h.settled()
	stop()

	server.set(embedtest.Valid)
	v, err := model.Embed(t.Context(), []string{list[0].Text})
	if err == nil {
		err = h.store.PutVectors(t.Context(), tenant, model.ID(), map[string][]float32{list[0].ID: v[0]})
	}
	if err != nil {
		t.Fatal(err)
	}
	if h.equal(model) || h.lacking(model) {
		t.Fatal("nothing is missing, or a row says what")
	}
	h.work(model)
	h.await("the index has the vector", func() bool { return h.equal(model) })
}

// The periodic comparison finds a difference that no event and no count reports.
func TestComparesUnasked(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	h.compare = 200 * time.Millisecond
	table := static.New()
	h.work(table)
	known := h.remember(texts(3)...)
	h.await("the worker is at work", func() bool { return h.equal(table) })
	// The comparison at the start may find the first one.
	for _, m := range known[:2] {
		h.archive(m.ID, known[2].ID) // publishes no event
		h.await("the index has it archived", func() bool { return h.equal(table) })
	}
}

// Issue 4, bad input: a text on which the model fails delays no other text, and gets
// its vector when the model accepts it.
func TestTextThatTheModelFailsOn(t *testing.T) {
	t.Parallel()
	const dim = 16
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	h.compare = 200 * time.Millisecond
	server := newScripted(t, dim)
	server.set(embedtest.On("poison", embedtest.Refuse(http.StatusInternalServerError, "")))
	model := server.model(t, dim)
	h.remember(texts(5)...)
	bad := h.remember("The poison cupboard is locked.")
	h.work(model)
	r := h.searcher(model)
	h.look(r, "cupboard", "found by its words", first(bad[0].ID))
	h.await("the others have vectors", func() bool { return h.without(model) == 1 && h.equal(model) })
	server.set(embedtest.Valid)
	h.await("it has one too", func() bool { return h.without(model) == 0 && h.equal(model) })
}

// The index fails after a vector was stored and before it was written to the index.
// The same worker writes it after the index recovers.
func TestVectorThatTheIndexMissed(t *testing.T) {
	t.Parallel()
	const dim = 16
	index := qdranttest.Start(t, qdranttest.Version)
	h := newHouse(t, index.Address)
	server := newScripted(t, dim)
	server.set(embedtest.Refuse(500, ""))
	model := server.model(t, dim)
	h.work(model)
	list := h.remember("Feature flags live in LaunchDarkly.")
	h.look(h.searcher(model), "flags", "found by its words", first(list[0].ID))
	h.settled()

	// Operating points are derived from the shipped pairs, with requests to the model
	// as well.
	server.set(func(w http.ResponseWriter, r *http.Request, in embedtest.Request, dim int) {
		if slices.Contains(in.Input, list[0].Text) {
			index.Stop()
		}
		embedtest.Valid(w, r, in, dim)
	})
	h.await("a vector is kept", func() bool { return !h.lacking(model) })
	qdranttest.Resume(t, qdranttest.Version, index.Address, index)
	h.await("the index has the vector", func() bool { return h.equal(model) })
}
