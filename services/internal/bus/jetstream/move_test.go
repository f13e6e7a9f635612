package jetstream_test

import (
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Provisioning upgrades an installation of a version that stored all of memory. in one
// stream: unprocessed messages move to this version's stream, once and under their event
// ids. Messages that a worker of that version is processing are an error.
func TestProvisionMovesWhatAnOlderVersionLeft(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	js, err := natsjs.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bus.StreamIntake, bus.StreamMemory} {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := js.CreateStream(t.Context(), natsjs.StreamConfig{Name: bus.StreamMemory, Subjects: []string{"memory.>"}, AllowAtomicPublish: true, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	for name, filters := range map[string][]string{
		"triage": {event.SubjectProposalCreated, event.SubjectProposalCreated + ".>"}, "gateway": {event.SubjectDigestTriage},
	} {
		if _, err := js.CreateConsumer(t.Context(), bus.StreamMemory, natsjs.ConsumerConfig{Durable: name, FilterSubjects: filters, AckPolicy: natsjs.AckExplicitPolicy, AckWait: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []string{`{"text":"done"}`, `{"text":"in hand"}`, `{"text":"waits"}`} {
		if _, err := js.Publish(t.Context(), event.SubjectProposalCreated+".bot", []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	header := map[string][]string{"winnow-tenant": {"default"}, "ce-id": {"d1"}}
	if _, err := js.PublishMsg(t.Context(), jetstream.OutgoingMsg(bus.Outgoing{Subject: event.SubjectDigestTriage, Header: header, Data: []byte(`{"id":"d1","reviewer":"anna"}`)})); err != nil {
		t.Fatal(err)
	}
	old, err := js.Consumer(t.Context(), bus.StreamMemory, "triage")
	if err != nil {
		t.Fatal(err)
	}
	var hand []natsjs.Msg
	for range 2 {
		m, err := old.Next()
		if err != nil {
			t.Fatal(err)
		}
		hand = append(hand, m)
	}
	if err := hand[0].DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}

	want := jetstream.Topology{Durables: []bus.Durable{triage(), jetstream.Gateway(memory.Principal{Tenant: "default", ID: "chat", SpeaksFor: []string{"anna"}})}}
	if _, err := jetstream.Provision(t.Context(), s.Conn(), want); err == nil || !strings.Contains(err.Error(), "in the hands of workers of an older version") {
		t.Fatalf("provisioning beside an older worker: %v", err)
	}
	if err := hand[1].Nak(); err != nil { // it stops
		t.Fatal(err)
	}
	if _, err := jetstream.Provision(t.Context(), s.Conn(), want); err != nil {
		t.Fatal(err)
	}
	if drift, err := jetstream.Drift(t.Context(), s.Conn(), want); err != nil || len(drift) != 0 {
		t.Fatalf("drift: %v, %v", drift, err)
	}
	src, err := js.Consumer(t.Context(), bus.StreamIntake, "triage")
	if err != nil {
		t.Fatal(err)
	}
	batch, err := src.FetchNoWait(10)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for m := range batch.Messages() {
		got[string(m.Data())] = m.Headers().Get("ce-id")
	}
	if len(got) != 2 || got[`{"text":"waits"}`] == "" || got[`{"text":"in hand"}`] == "" {
		t.Errorf("INTAKE holds %v", got)
	}
	digests, err := js.Consumer(t.Context(), bus.StreamMemory, jetstream.GatewayDurable("chat"))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := digests.Next(natsjs.FetchMaxWait(time.Minute)); err != nil || m.Subject() != event.SubjectDigestTriage+".default.anna" {
		t.Errorf("the gateway reads %v, %v", m, err)
	}
}
