package index_test

import (
	"strings"
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Issue 11: an unreadable event is acknowledged only after its dead letter is stored.
// The dead letter states the problem without the secret in the wrong field.
func TestUnreadableEventIsNotLostWithItsLetter(t *testing.T) {
	t.Parallel()
	r := setupFleet(t)
	js, err := natsjs.New(r.bus.Conn())
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), bus.StreamDeadLetters); err != nil {
		t.Fatal(err)
	}
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	id := ident.New(memory.PrefixEvent)
	header, data, err := event.Encode(&winnowv1.MemoryRecorded{Id: id, MemoryId: secret, Scope: string(shop)}, event.Options{Tenant: string(tenant)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.bus.Publisher(t).Publish(t.Context(), []bus.Outgoing{{ID: id, Subject: event.SubjectMemoryRecorded, Header: header, Data: data}}); err != nil {
		t.Fatal(err)
	}
	r.run(index.Definition, r.deps)

	vault, err := js.Consumer(t.Context(), index.Definition.Durable.Stream, index.Definition.Durable.Name)
	if err != nil {
		t.Fatal(err)
	}
	r.await("the first try is over", func() bool {
		info, err := vault.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Delivered.Stream > 0 && info.NumAckPending == 0 && info.NumPending == 0 {
			t.Fatal("the event is settled, and there is no dead letter about it")
		}
		return info.NumRedelivered > 0
	})
	r.bus.ProvisionMissing(t)
	letters := r.bus.DeadLetters(t)
	r.await("the dead letter is stored", func() bool {
		list, err := letters.List(t.Context(), 0, 10)
		if err != nil || len(list) == 0 {
			return false
		}
		if l := list[0]; strings.Contains(l.Reason.Text, secret) || l.Reason.Text == "" || l.Consumer != "vault" {
			t.Errorf("letter of %s: %s", l.Consumer, l.Reason.Text)
		}
		return true
	})
}
