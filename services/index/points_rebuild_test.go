package index_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/ops"
	opsindex "github.com/winnowhq/winnow/services/ops/index"
)

// traffic writes and searches until stopped.
type traffic struct {
	*house
	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup
	written []string // texts; read after stop
}

// busy starts one writer, and readers that must always find the memories written
// before, whichever generation answers.
func (h *house) busy(known []memory.Memory, readers ...*recall.Recall) *traffic {
	h.Helper()
	t := &traffic{house: h}
	t.ctx, t.cancel = context.WithCancel(h.Context())
	h.Cleanup(t.stop)
	t.working.Go(func() {
		for n := 0; t.ctx.Err() == nil; n++ {
			text := fmt.Sprintf("Note %d of the busy writer names port %d.", n, 20_000+n)
			h.remember(text)
			t.written = append(t.written, text)
		}
	})
	for _, r := range readers {
		t.working.Go(func() {
			for n := 0; t.ctx.Err() == nil; n++ {
				want := known[n%len(known)]
				a, err := r.Search(h.Context(), recall.Question{Text: question(want), Tenant: tenant})
				// On a busy machine the answer may come from Postgres; it must be
				// right as well.
				if err != nil || !first(want.ID)(a) {
					h.Errorf("%q while it is rebuilt: %d found, notes %q, %v", want.Text, len(a.Found), a.Notes, err)
					return
				}
			}
		})
	}
	return t
}

func (t *traffic) stop() {
	t.cancel()
	t.working.Wait()
}

// question returns a query for a memory in other words, so that a model server can
// distinguish both texts.
func question(m memory.Memory) string { return "where " + m.Text }

func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("Service number%d listens on port %d since release r%d.", i, 3000+i, i*7)
	}
	return out
}

// cutOff starts a rebuild and kills it midway.
func cutOff(t *testing.T, o *ops.Ops) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := opsindex.Rebuild(ctx, o, func(opsindex.Reconciled) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cut off: %v", err)
	}
}

// A rebuild under load, killed once and run again: searches find everything all the
// time. In the end the new generation contains what the store contains, without an
// event to the index worker.
func TestRebuildUnderLoad(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version, qdranttest.Paced()).Address)
	table := static.New()
	h.work(table)
	known := h.remember(texts(1200)...)
	r, operator := h.searcher(table), h.operator(table)
	h.look(r, known[1199].Text, "the last is there", healthy(known[1199].ID))
	h.settled()

	load := h.busy(known, r, h.searcher(table))
	cutOff(t, operator)
	done, err := opsindex.Rebuild(t.Context(), operator, nil)
	if err != nil || done.Compared < 2400 {
		t.Errorf("rebuilt %+v, %v", done, err)
	}
	load.stop()
	h.settled()
	if !h.equal(table) {
		t.Error("index and store differ after the switch")
	}
	status, err := opsindex.Status(t.Context(), operator)
	if err != nil || status.Generation != 2 || status.Documents != 1200+len(load.written) {
		t.Errorf("status %+v, %v; want 1200 and %d", status, err, len(load.written))
	}
	list, err := operator.Index.Generations(t.Context())
	if err != nil || len(list) != 1 {
		t.Errorf("generations %+v, %v: the old one was to go", list, err)
	}
}

// A change of the model under load, killed once and run again, while workers and
// searches still use the old model. Every answer is of one generation. Before the
// switch both models give correct answers; after it the old process compares words
// alone and reports that. No text is embedded twice.
func TestModelChangeUnderLoad(t *testing.T) {
	t.Parallel()
	const dim = 16
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version, qdranttest.Paced()).Address)
	old := static.New()
	server := newScripted(t, dim)
	model := server.model(t, dim)
	stopOld := h.work(old)
	known := h.remember(texts(700)...)
	before, after := h.searcher(old), h.searcher(model)
	h.look(before, question(known[699]), "the last is there", healthy(known[699].ID))
	h.look(after, question(known[0]), "found by words", excused(known[0].ID, "another model"))

	load := h.busy(known, before, after)
	operator := h.operator(model)
	cutOff(t, operator)
	done, err := opsindex.Reembed(t.Context(), operator, nil)
	if err != nil {
		t.Fatal(err)
	}
	if done.Before != old.ID() || done.Model != model.ID() || done.Points == nil {
		t.Errorf("reembedded %+v", done)
	}
	h.look(before, question(known[0]), "found by words", excused(known[0].ID, "another model"))
	h.look(after, question(known[0]), "found by both", healthy(known[0].ID))
	load.stop()
	// Workers start with the new model. The memories that old workers recorded after
	// the switch get their vectors.
	stopOld()
	h.work(model)
	h.settled()
	h.await("every memory has a vector of the new model", func() bool { return h.equal(model) && !h.lacking(model) })
	for _, m := range known {
		if n := server.asked(m.Text); n > 1 {
			t.Fatalf("%q was embedded %d times", m.Text, n)
		}
	}
}

// A model that does not answer, or whose answers differ from the settings, changes
// nothing: the old model serves. The earlier, interrupted change to a third model
// resumes at its last step.
func TestReembedRefusesAModelThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const dim = 16
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	old, server := static.New(), newScripted(t, dim)
	model := server.model(t, dim)
	h.work(old)
	known := h.remember(texts(700)...)
	r := h.searcher(old)
	h.look(r, known[699].Text, "the last is there", healthy(known[699].ID))
	h.settled()
	operator := h.operator(model)
	cutOff(t, operator)
	before, err := operator.Index.Generations(t.Context())
	if err != nil || len(before) != 2 {
		t.Fatalf("generations %+v, %v: one serves, one is half full", before, err)
	}

	for name, wrong := range map[string]struct {
		reply  embedtest.Reply
		remedy string
	}{
		"an unknown name":   {embedtest.Refuse(http.StatusNotFound, "model_not_found"), "check url and model"},
		"another dimension": {embedtest.WrongDimension, "set dim"},
		"not numbers":       {embedtest.NaN, "nothing was changed"},
	} {
		other := embedtest.Always(t, 8, wrong.reply)
		e, err := openai.New(openai.Config{URL: other.URL, Model: "mistyped", Dim: 8, Attempts: 2, Backoff: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opsindex.Reembed(t.Context(), h.operator(e), nil); err == nil || !strings.Contains(err.Error(), wrong.remedy) {
			t.Errorf("%s: %v, want %q", name, err, wrong.remedy)
		}
		if after, err := operator.Index.Generations(t.Context()); err != nil || !slices.Equal(after, before) {
			t.Errorf("%s: generations %+v, %v; before %+v", name, after, err, before)
		}
	}
	h.look(r, question(known[0]), "the old one serves", healthy(known[0].ID))

	if _, err := opsindex.Reembed(t.Context(), operator, nil); err != nil {
		t.Fatal(err)
	}
	for _, m := range known {
		if n := server.asked(m.Text); n != 1 {
			t.Fatalf("%q was embedded %d times", m.Text, n)
		}
	}
	h.look(h.searcher(model), question(known[0]), "the new one serves", healthy(known[0].ID))
}

// lacking reports whether a row waits for a vector.
func (h *house) lacking(e embed.Embedder) bool {
	h.Helper()
	return h.without(e) > 0
}

// without returns the number of rows that have no vector.
func (h *house) without(e embed.Embedder) int {
	h.Helper()
	rows, err := h.store.IndexRows(h.Context(), tenant, store.IndexQuery{Model: e.ID(), Lacking: true})
	if err != nil {
		h.Fatal(err)
	}
	return len(rows)
}

// Reconcile alone repairs an index that lost documents or contains unknown ones.
func TestReconcileRepairs(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	table := static.New()
	stop := h.work(table)
	known := h.remember(texts(30)...)
	r, operator := h.searcher(table), h.operator(table)
	h.look(r, known[29].Text, "the last is there", healthy(known[29].ID))
	h.settled()
	stop()
	// Written while no worker runs, without an event.
	set, quiet := promoted(shop, memory.KindFact, "Notes", "The quiet one lives in a cupboard.")
	if _, err := h.store.Commit(t.Context(), tenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	h.archive(known[0].ID, known[1].ID)
	done, err := opsindex.Reconcile(t.Context(), operator, nil)
	if err != nil || done.Compared != 31 || done.Written != 2 || done.Removed != 0 {
		t.Errorf("reconciled %+v, %v", done, err)
	}
	h.look(r, "cupboard", "the quiet one", healthy(quiet[0].ID))
	if done, err = opsindex.Reconcile(t.Context(), operator, nil); err != nil || done.Written != 0 {
		t.Errorf("a second time %+v, %v", done, err)
	}
}
