package event_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// What is written is what is read, in both encodings, with every header.
func TestEncodeThenRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 5, 9, 12, 0, 250_000_000, time.UTC)
	want := &winnowv1.ProposalCreated{
		Scope: "project:shop", Text: "Größe in \"cm\"\n日本語", Tags: []string{"a", "b"}, Importance: 7,
		ObservedAt: timestamppb.New(at), Evidence: []*winnowv1.Evidence{{Text: "cm", Role: "user"}},
	}
	for _, asJSON := range []bool{false, true} {
		h, data, err := event.Encode(want, event.Options{ID: "evt 1 ü", Principal: "ci-bot", Source: "dé\"ploy", Time: at, JSON: asJSON, Traceparent: parent, Tracestate: "k=v"})
		if err != nil {
			t.Fatal(err)
		}
		// Two publishers may choose the same id; the stream must not mix them up.
		if h["Nats-Msg-Id"][0] != created+".ci-bot/"+h["ce-id"][0] || h["Content-Type"][0] != h["ce-datacontenttype"][0] {
			t.Errorf("headers %v", h)
		}
		for name, v := range h {
			if strings.IndexFunc(v[0], func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
				t.Errorf("%s: %q is not printable ASCII", name, v[0])
			}
		}
		env, got, err := read(created+".ci-bot", h, data)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		if env.ID != "evt 1 ü" || env.Source != "dé\"ploy" || !env.Time.Equal(at) || env.Traceparent != parent || env.Tracestate != "k=v" || env.Type != created+".v1" {
			t.Errorf("envelope %+v", env)
		}
	}
}

func TestEncodeTakesTheMessagesID(t *testing.T) {
	t.Parallel()
	h, _, err := event.Encode(&winnowv1.MemoryArchived{Id: "evt_9", MemoryId: "mem_1"}, event.Options{})
	if err != nil || h["ce-id"][0] != "evt_9" || h["ce-type"][0] != "memory.archived.v1" {
		t.Errorf("%v %v", h, err)
	}
	if _, ok := h["ce-time"]; ok {
		t.Error("a time that nobody gave")
	}
}

// What the reader would refuse is not sent.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		msg  proto.Message
		opts event.Options
		want error
	}{
		{"no id", &winnowv1.ProposalCreated{Text: "a"}, event.Options{}, event.ErrMalformed},
		{"bad id", &winnowv1.ProposalCreated{Text: "a"}, event.Options{ID: "a\nb"}, event.ErrMalformed},
		{"NUL", &winnowv1.ProposalCreated{Id: "a", Text: "a\x00"}, event.Options{}, event.ErrMalformed},
		{"UTF-8", &winnowv1.ProposalCreated{Id: "a", Text: "\xff"}, event.Options{JSON: true}, event.ErrMalformed},
		{"time", &winnowv1.ProposalCreated{Id: "a", ObservedAt: &timestamppb.Timestamp{Seconds: 1 << 60}}, event.Options{}, event.ErrMalformed},
		{"size", &winnowv1.SessionCompleted{Id: "a", Trace: &winnowv1.SessionCompleted_Inline{Inline: make([]byte, event.MaxPayload)}}, event.Options{}, event.ErrTooLarge},
		{"no event", &winnowv1.Evidence{Text: "a"}, event.Options{ID: "a"}, event.ErrSubject},
		{"principal", &winnowv1.ProposalCreated{Id: "a"}, event.Options{Principal: "a.b"}, event.ErrSubject},
	}
	for _, c := range cases {
		if _, _, err := event.Encode(c.msg, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// Mistakes of the caller and not of the publisher.
func TestUnmarshalOfAnEnvelopeMadeByHand(t *testing.T) {
	t.Parallel()
	env := event.Envelope{Subject: created, ContentType: event.ContentJSON, Data: []byte(payload)}
	if err := event.Unmarshal(env, &winnowv1.ProposalCreated{}); err != nil {
		t.Errorf("without a type: %v", err)
	}
	if err := event.Unmarshal(env, &winnowv1.DigestDue{}); !errors.Is(err, event.ErrSubject) {
		t.Errorf("into another message: %v", err)
	}
	env.ContentType = ""
	if err := event.Unmarshal(env, &winnowv1.ProposalCreated{}); !errors.Is(err, event.ErrContentType) {
		t.Errorf("without a content type: %v", err)
	}
	env.ContentType, env.Data = event.ContentProtobuf, make([]byte, event.MaxPayload+1)
	if err := event.Unmarshal(env, &winnowv1.ProposalCreated{}); !errors.Is(err, event.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

// A field that a later version added does not survive into a store that cannot
// name it.
func TestUnknownProtobufFieldsAreLeftOut(t *testing.T) {
	t.Parallel()
	data := append(binary(t, &winnowv1.ProposalCreated{Id: "a", Text: "b"}), 0xfa, 0x3f, 0x01, 'x') // field 1023
	env, err := event.Parse(created, header("Content-Type", "application/protobuf"), data, "MEMORY:7")
	if err != nil {
		t.Fatal(err)
	}
	var p winnowv1.ProposalCreated
	if err := event.Unmarshal(env, &p); err != nil || len(p.ProtoReflect().GetUnknown()) != 0 || p.GetText() != "b" {
		t.Errorf("%v %v", err, &p)
	}
}
