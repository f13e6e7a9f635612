package relay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// writeOf commits events with these subjects, each with a reason of so many bytes.
func (r *rig) writeOf(name string, reason int, subjects ...string) {
	r.t.Helper()
	var set change.Set
	for i, subject := range subjects {
		id := fmt.Sprintf("evt_%s_%d", name, i)
		set.Events = append(set.Events, change.Event{
			ID: id, Subject: subject, Type: event.TypeFor(event.SubjectProposalDecided),
			Message: &winnowv1.ProposalDecided{Id: id, Reason: strings.Repeat("x", reason)},
		})
	}
	if _, err := r.store.Commit(r.t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		r.t.Fatal(err)
	}
}

// limit makes the stream refuse messages above a size in bytes.
func (r *rig) limit(bytes int32) {
	r.t.Helper()
	js, err := jetstream.New(r.bus.Conn())
	if err != nil {
		r.t.Fatal(err)
	}
	stream, err := js.Stream(r.t.Context(), bus.StreamMemory)
	if err != nil {
		r.t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	config.MaxMsgSize = bytes
	if _, err := js.UpdateStream(r.t.Context(), config); err != nil {
		r.t.Fatal(err)
	}
}

// letters waits until there are n dead letters.
func (r *rig) letters(n int) (all []bus.DeadLetter) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	letters := r.bus.DeadLetters(r.t)
	for len(all) < n {
		list, err := letters.List(ctx, uint64(len(all)), n)
		if err != nil {
			r.t.Fatalf("%d of %d letters: %v", len(all), n, err)
		}
		all = append(all, list...)
	}
	return all
}

// Events that the server permanently refuses become dead letters with the reason.
// However many there are at the front of the outbox, the events behind them are
// published.
func TestRefusedRowsBecomeDeadLetters(t *testing.T) {
	t.Parallel()
	r := setup(t)
	var nowhere []string
	for range 1000 { // the size of one round
		nowhere = append(nowhere, "nowhere.at.all")
	}
	r.writeOf("nowhere", 1, nowhere...)
	r.limit(64 << 10)
	r.writeOf("large", 100<<10, event.SubjectProposalDecided)
	r.writeOf("denied", 1, event.SubjectTrace+".bot.x")
	r.writeOf("broken", 1, "memory.proposal decided")
	r.write(0, 20)
	r.start(nil)
	assertInOrder(t, r.read(20), 0)
	r.awaitMarked()
	r.assertExactly(20)

	classes := map[string]int{}
	for _, l := range r.letters(1003) {
		classes[l.Reason.Class]++
		if l.Consumer != "relay" || l.Subject == "" || l.Reason.Text == "" {
			t.Fatalf("letter %+v", l)
		}
	}
	if want := map[string]int{"subject": 1001, "too_large": 1, "permission": 1}; !maps.Equal(classes, want) {
		t.Errorf("letters by class %v, want %v", classes, want)
	}
}

// An event that is too large even for a dead letter stays in its row. It is published
// from there when the server accepts larger messages.
func TestRefusedRowIsReplayedFromTheOutbox(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.bus.Limit(t, 64<<10)
	r.writeOf("large", 100<<10, event.SubjectProposalDecided)
	r.write(0, 5)
	r.start(nil)
	assertInOrder(t, r.read(5), 0)
	r.awaitMarked()
	listed := r.letters(1)[0]
	redactor, err := redact.New(redact.Config{Key: []byte("test")})
	if err != nil {
		t.Fatal(err)
	}
	desk := ops.Ops{Store: r.store, DeadLetters: r.bus.DeadLetters(t), Redactor: redactor, Tenant: memory.DefaultTenant}
	l, err := desk.DeadLetter(t.Context(), listed.Seq, true)
	if err != nil || l.Reason.Class != "too_large" || l.Stream != bus.Outbox || len(l.Data) != 0 {
		t.Fatalf("letter %+v, %v", l, err)
	}

	r.bus.Limit(t, 1<<20)
	if at, err := desk.ReplayLetter(t.Context(), l.Seq); err != nil || at != 0 {
		t.Fatalf("replayed at %d, %v", at, err)
	}
	if ids := r.read(1); ids[0] != "evt_large_0" {
		t.Errorf("replayed %q", ids)
	}
	r.awaitMarked()
	r.assertExactly(6)
	// The event is in a stream now, so a redelivery sends the content of the dead
	// letter.
	if _, err := desk.ReplayLetter(t.Context(), l.Seq); !errors.Is(err, bus.ErrNoLetter) {
		t.Errorf("replayed twice: %v", err)
	}
}
