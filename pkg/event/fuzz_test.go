package event_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Whatever a stranger sends is read or refused with a sentinel, and what is
// read can be written and read again.
func FuzzRead(f *testing.F) {
	pb, err := proto.Marshal(&winnowv1.ProposalCreated{Id: "x", Scope: "project:shop", Text: "ok", Evidence: []*winnowv1.Evidence{{Text: "q"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(created, "", "", "", []byte(payload))
	f.Add(created+".ci-bot", "a%20b", created+".v1", "application/protobuf", pb)
	f.Add("session.completed", "", "", "", []byte(`{"scope":"user:1","inline":"aGk=","startedAt":"2026-01-31T09:30:00Z"}`))
	f.Add(created, "", "", "application/cloudevents+json", []byte(`{"id":"a","type":"`+created+`.v1","data":`+payload+`}`))
	f.Add(created, "", "", "application/cloudevents+json", []byte(`{"data_base64":"`+"e30="+`"}`))
	f.Add(created+".a.b", "\x00", ".v", "text/plain; x", []byte{0x7b})
	f.Add(created, "%", "memory.v1.v2", ";", []byte("\x0a\x20{\x00"))
	f.Add("memory.digest.reply.g", "", "", "", []byte(`{"text":"\u0000"}`))

	sentinels := []error{event.ErrSubject, event.ErrVersion, event.ErrContentType, event.ErrMalformed, event.ErrTooLarge}
	f.Fuzz(func(t *testing.T, subject, id, typ, contentType string, data []byte) {
		h := header("Ce-Id", id, "CE-TYPE", typ, "content-Type", contentType, "traceparent", typ)
		env, msg, err := read(subject, h, data)
		if env.ID == "" {
			t.Fatal("no id")
		}
		if err != nil {
			for _, s := range sentinels {
				if errors.Is(err, s) {
					return
				}
			}
			t.Fatalf("not a sentinel: %v", err)
		}
		if len(env.ID) > event.MaxID || !utf8.ValidString(env.ID+env.Source+env.Type) {
			t.Fatalf("envelope %+v", env)
		}
		h, out, err := event.Encode(msg, event.Options{ID: env.ID, Source: env.Source, Time: env.Time, JSON: env.ContentType == event.ContentJSON})
		if errors.Is(err, event.ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, copied, err := read(subject, h, out)
		if err != nil || again.ID != env.ID || again.Principal != env.Principal || !proto.Equal(copied, msg) {
			t.Fatalf("not the same again: %v", err)
		}
	})
}
