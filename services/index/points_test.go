package index_test

import (
	"strings"
	"testing"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	opsindex "github.com/winnowhq/winnow/services/ops/index"
)

// The index contains the row's current state, independent of the events. A memory
// that was recorded and replaced before it was read is a redirect immediately, a
// second delivery changes nothing, and an event about an unknown memory has no
// effect.
func TestPointsAreTheRowsAsTheyAre(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	list := h.remember("The zebra cache holds tokens for 90 s.", "The gateway has one cache of tokens.")
	h.archive(list[0].ID, list[1].ID)
	h.tell(&winnowv1.MemoryArchived{Id: ident.New(memory.PrefixEvent), MemoryId: list[0].ID, Scope: string(shop)})
	again := &winnowv1.MemoryRecorded{Id: ident.New(memory.PrefixEvent), MemoryId: list[0].ID, Scope: string(shop)}
	h.tell(again)
	h.tell(&winnowv1.MemoryRecorded{Id: ident.New(memory.PrefixEvent), MemoryId: ident.New(memory.PrefixMemory), Scope: string(shop)})

	table := static.New()
	h.work(table)
	found := h.look(h.searcher(table), "zebra", "the archived one leads to its successor", healthy(list[1].ID))
	if len(found.Found) != 1 || !found.Found[0].Redirected {
		t.Errorf("found %+v", found.Found)
	}
	h.settled()
	h.tell(again)
	h.settled()
	if !h.equal(table) {
		t.Error("index and store differ")
	}
}

// An unreadable event becomes a dead letter and does not delay the others.
func TestPointsUnreadable(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	for id, m := range map[string]bus.Outgoing{
		"garbage": {Data: []byte("\xff\xff")},
		"no id":   {Data: []byte(`{"memoryId":"mem_x"}`), Header: map[string][]string{"ce-datacontenttype": {"application/json"}}},
	} {
		m.ID, m.Subject = id, "memory.recorded"
		h.publish(m)
	}
	list := h.remember("Feature flags live in LaunchDarkly.")
	table := static.New()
	h.work(table)
	h.look(h.searcher(table), "feature flags", "the good one is found", healthy(list[0].ID))
	h.settled()
	letters, err := h.bus.DeadLetters(t).List(t.Context(), 0, 10)
	if err != nil || len(letters) != 2 || letters[0].Consumer != index.Definition.More[0].Name {
		t.Errorf("letters %+v, %v", letters, err)
	}
}

// Replicas share the work, and any of them may stop at any time.
func TestPointsAreShared(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	table := static.New()
	stop := h.work(table)
	h.work(table)
	for i := range 20 {
		if i == 10 {
			stop()
		}
		texts := make([]string, 10)
		for n := range texts {
			texts[n] = "Replica test " + ident.New("w") + " says what it says."
		}
		h.remember(texts...)
	}
	h.await("all are there", func() bool {
		status, err := opsindex.Status(t.Context(), h.operator(table))
		return err == nil && status.Documents == 200 && status.Problem == ""
	})
	h.settled()
	if !h.equal(table) {
		t.Error("index and store differ")
	}
}

// Every text is found by its content: without words, a megabyte long, in other
// scripts, or of punctuation.
func TestPointsOfAnyText(t *testing.T) {
	t.Parallel()
	h := newHouse(t, qdranttest.Start(t, qdranttest.Version).Address)
	table := static.New()
	huge := "The marmalade ledger begins here. " + strings.Repeat("lorem ipsum dolor sit amet ", 40_000)
	texts := []string{
		"—", huge, "🚀 means that a release is live", "数据库的连接池大小是八", "Größe des Verbindungspools: acht Straßenbahnen",
		"قاعدة البيانات على المنفذ ٥٤٤٠", "\x00 bell \u200b zero width \ufeff mark \U0001F469\u200d\U0001F4BB",
	}
	texts[6] = strings.ReplaceAll(texts[6], "\x00", "") // Postgres cannot store it
	list := h.remember(texts...)
	h.work(table)
	r := h.searcher(table)
	for question, want := range map[string]int{
		"marmalade ledger": 1, "🚀 release": 2, "数据库的连接池大小是八": 3, "grösse verbindungspool": 4, "قاعدة البيانات": 5, "zero width": 6,
	} {
		h.look(r, question, question, func(a recall.Answer) bool { return first(list[want].ID)(a) && len(a.Notes) == 0 })
	}
	h.settled()
	if !h.equal(table) {
		t.Error("index and store differ")
	}
	status, err := opsindex.Status(t.Context(), h.operator(table))
	if err != nil || status.Problem != "" || status.Documents != len(texts) {
		t.Errorf("status %+v, %v", status, err)
	}
}
