package event_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

const (
	created = event.SubjectProposalCreated
	parent  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	payload = `{"id":"from-payload","scope":"project:shop","text":"Prices are in cents."}`
)

func header(pairs ...string) map[string][]string {
	h := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = append(h[pairs[i]], pairs[i+1])
	}
	return h
}

func binary(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read takes a message the whole way that a worker does.
func read(subject string, h map[string][]string, data []byte) (event.Envelope, proto.Message, error) {
	env, err := event.Parse(subject, h, data, "MEMORY:7")
	if err != nil {
		return env, nil, err
	}
	msg, err := event.NewMessage(env.Subject)
	if err != nil {
		return env, nil, err
	}
	return env, msg, event.Unmarshal(env, msg)
}

// What a publisher may send, from nothing but JSON to CloudEvents in either
// mode. Every case carries the same proposal.
func TestServed(t *testing.T) {
	t.Parallel()
	plain := &winnowv1.ProposalCreated{Id: "from-payload", Scope: "project:shop", Text: "Prices are in cents."}
	pb := binary(t, plain)
	anonymous := binary(t, &winnowv1.ProposalCreated{Scope: "project:shop", Text: "Prices are in cents."})

	cases := []struct {
		name    string
		subject string
		header  map[string][]string
		data    string
		want    event.Envelope // zero fields are not compared, except Principal
	}{
		{"bare JSON", created, nil, payload, event.Envelope{ID: "from-payload", Type: created + ".v1", ContentType: event.ContentJSON}},
		{"bare JSON, blanks first", created, nil, " \r\n\t" + payload, event.Envelope{ID: "from-payload", ContentType: event.ContentJSON}},
		{"bare JSON without an id", created, nil, `{"scope":"project:shop","text":"Prices are in cents."}`, event.Envelope{ID: "MEMORY:7"}},
		{"unknown JSON fields are left out", created, nil, `{"scope":"project:shop","text":"Prices are in cents.","mood":{"is":["good"]}}`, event.Envelope{ID: "MEMORY:7"}},
		{"names as the .proto spells them", created, nil, `{"scope":"project:shop","text":"Prices are in cents.","session_id":"s1"}`, event.Envelope{ID: "MEMORY:7"}},
		{"principal", created + ".ci-bot_7", nil, payload, event.Envelope{Principal: "ci-bot_7", Subject: created}},
		{"bare protobuf", created, nil, string(pb), event.Envelope{ID: "from-payload", ContentType: event.ContentProtobuf}},
		{"protobuf by Content-Type", created, header("Content-Type", "application/x-protobuf"), string(pb), event.Envelope{ID: "from-payload", ContentType: event.ContentProtobuf}},
		{"protobuf without an id", created, header("Content-Type", "application/protobuf"), string(anonymous), event.Envelope{ID: "MEMORY:7"}},
		{"charset", created, header("content-type", "application/json; charset=utf-8"), payload, event.Envelope{ContentType: event.ContentJSON}},
		{"ce-datacontenttype over Content-Type", created, header("Content-Type", "text/plain", "ce-datacontenttype", "application/json"), payload, event.Envelope{ContentType: event.ContentJSON}},
		{"ce-id first", created, header("ce-id", "a", "Nats-Msg-Id", "b"), payload, event.Envelope{ID: "a"}},
		{"then Nats-Msg-Id", created, header("Nats-Msg-Id", "b"), payload, event.Envelope{ID: "b"}},
		{"case of names", created, header("CE-ID", "a", "Ce-Type", created+".v1", "cE-sOurce", "ci", "Ce-Time", "2026-01-31T09:30:00+01:00", "TraceParent", parent, "TRACESTATE", "k=v", "NATS-MSG-ID", "b"), payload,
			event.Envelope{ID: "a", Type: created + ".v1", Source: "ci", Time: time.Date(2026, 1, 31, 8, 30, 0, 0, time.UTC), Traceparent: parent, Tracestate: "k=v"}},
		{"one name in two spellings", created, header("CE-ID", "c", "ce-id", "a", "Ce-Id", "b"), payload, event.Envelope{ID: "a"}},
		{"percent-encoding", created, header("ce-id", "a%20%C3%BC%25", "ce-source", "100% caf%c3%a9 %zz"), payload, event.Envelope{ID: "a ü%", Source: "100% café %zz"}},
		{"trace as an extension", created, header("ce-traceparent", parent), payload, event.Envelope{Traceparent: parent}},
		{"structured", created, header("Content-Type", "application/cloudevents+json; charset=UTF-8", "Nats-Msg-Id", "outer"),
			`{"specversion":"1.0","id":"inner","type":"` + created + `.v1","source":"ci","time":"2026-01-31T09:30:00Z","traceparent":"` + parent + `","data":` + payload + `}`,
			event.Envelope{ID: "inner", Type: created + ".v1", Source: "ci", ContentType: event.ContentJSON, Traceparent: parent}},
		{"structured without an id", created, header("content-type", "application/cloudevents+json"), `{"data":` + payload + `}`, event.Envelope{ID: "from-payload"}},
		{"structured, base64", created, header("content-type", "application/cloudevents+json"),
			`{"id":"x","datacontenttype":"application/protobuf","data_base64":"` + base64.StdEncoding.EncodeToString(pb) + `"}`,
			event.Envelope{ID: "x", ContentType: event.ContentProtobuf}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env, msg, err := read(c.subject, c.header, []byte(c.data))
			if err != nil {
				t.Fatal(err)
			}
			if p := msg.(*winnowv1.ProposalCreated); p.GetText() != plain.GetText() || p.GetScope() != plain.GetScope() {
				t.Errorf("payload: %v", p)
			}
			if env.Subject != created || env.Principal != c.want.Principal {
				t.Errorf("subject %q principal %q", env.Subject, env.Principal)
			}
			for _, f := range []struct{ name, got, want string }{
				{"id", env.ID, c.want.ID}, {"type", env.Type, c.want.Type}, {"source", env.Source, c.want.Source},
				{"content type", env.ContentType, c.want.ContentType},
				{"traceparent", env.Traceparent, c.want.Traceparent}, {"tracestate", env.Tracestate, c.want.Tracestate},
			} {
				if f.want != "" && f.got != f.want {
					t.Errorf("%s: %q, want %q", f.name, f.got, f.want)
				}
			}
			if !c.want.Time.IsZero() && !env.Time.Equal(c.want.Time) {
				t.Errorf("time %v", env.Time)
			}
		})
	}
}

// Everything that becomes a dead letter, with the words that its publisher
// needs.
func TestRefused(t *testing.T) {
	t.Parallel()
	pb := string(binary(t, &winnowv1.ProposalCreated{Id: "x", Scope: "project:shop", Text: "ok"}))
	js := header("Content-Type", "application/json")
	pbh := header("Content-Type", "application/protobuf")
	structured := header("Content-Type", "application/cloudevents+json")

	cases := []struct {
		name    string
		subject string
		header  map[string][]string
		data    string
		want    error
		says    string
	}{
		{"unknown subject", "memory.proposal.wished", nil, payload, event.ErrSubject, "not a subject"},
		{"empty subject", "", nil, payload, event.ErrSubject, "not a subject"},
		{"too many tokens", created + ".ci.bot", nil, payload, event.ErrSubject, "too many tokens"},
		{"empty token", created + ".", nil, payload, event.ErrSubject, "not a principal"},
		{"long token", created + "." + strings.Repeat("a", 65), nil, payload, event.ErrSubject, "not a principal"},
		{"bad token", created + ".ci@bot", nil, payload, event.ErrSubject, "not a principal"},
		{"principal on an internal event", event.SubjectMemoryRecorded + ".x", nil, `{}`, event.ErrSubject, "carries no principal"},

		{"unknown major", created, header("ce-type", created+".v2"), payload, event.ErrVersion, "this build reads " + created + ".v1"},
		{"no major", created, header("ce-type", created), payload, event.ErrVersion, "does not end in a major version"},
		{"signed major", created, header("ce-type", created+".v+1"), payload, event.ErrVersion, "major version"},
		{"other event's type", created, header("ce-type", "session.completed.v1"), payload, event.ErrVersion, "was published on"},
		{"CloudEvents of the future", created, header("ce-specversion", "2.0"), payload, event.ErrVersion, "ce-specversion"},

		{"plain text", created, nil, "remember to water the plants", event.ErrContentType, "Content-Type"},
		{"nothing", created, nil, "", event.ErrContentType, "0 bytes"},
		{"JSON array", created, nil, "[" + payload + "]", event.ErrContentType, "JSON object"},
		{"label of something else", created, header("Content-Type", "text/plain"), payload, event.ErrContentType, "text/plain"},
		{"unreadable label", created, header("Content-Type", "a/b/c;"), payload, event.ErrContentType, "content type"},
		{"batch mode", created, header("Content-Type", "application/cloudevents-batch+json"), "[]", event.ErrContentType, "binary mode"},

		{"bad time", created, header("ce-time", "yesterday"), payload, event.ErrMalformed, "ce-time"},
		{"long id", created, header("ce-id", strings.Repeat("x", 257)), payload, event.ErrMalformed, "257 bytes"},
		{"id with NUL", created, header("ce-id", "a%00b"), payload, event.ErrMalformed, "ce-id"},
		{"id of bad bytes", created, header("ce-id", "%ff"), payload, event.ErrMalformed, "ce-id"},
		{"payload's id too long", created, nil, `{"id":"` + strings.Repeat("x", 257) + `"}`, event.ErrMalformed, "payload's id"},
		{"source with NUL", created, header("ce-source", "a%00b"), payload, event.ErrMalformed, "ce-source"},
		{"half JSON", created, js, `{"text":"ok"`, event.ErrMalformed, "ends too early"},
		{"two JSON objects", created, js, payload + payload, event.ErrMalformed, "in JSON (line 1:"},
		{"wrong type", created, js, `{"text":"ok","importance":"sekret"}`, event.ErrMalformed, "field importance"},
		{"date without a time", created, js, `{"text":"ok","observedAt":"2026-01-31"}`, event.ErrMalformed, "RFC 3339"},
		{"time out of range", created, pbh, pb + "\x5a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", event.ErrMalformed, ""},
		{"invalid UTF-8 in JSON", created, js, "{\"text\":\"\xff\"}", event.ErrMalformed, "UTF-8 at byte 9"},
		{"lone surrogate", created, js, `{"text":"\ud800"}`, event.ErrMalformed, "in JSON"},
		{"NUL in JSON", created, js, `{"text":"a\u0000b"}`, event.ErrMalformed, "text holds a NUL character at byte 1"},
		{"NUL deep inside", created, js, `{"text":"a","evidence":[{"text":"a"},{"ref":"\u0000"}]}`, event.ErrMalformed, "evidence[1].ref"},
		{"NUL in a tag", created, js, `{"text":"a","tags":["a","\u0000"]}`, event.ErrMalformed, "tags[1]"},
		{"half protobuf", created, pbh, pb[:len(pb)-1], event.ErrMalformed, "in protobuf"},
		{"invalid UTF-8 in protobuf", created, pbh, "\x1a\x01\xff", event.ErrMalformed, "UTF-8"},
		{"NUL in protobuf", created, pbh, "\x1a\x01\x00", event.ErrMalformed, "text holds a NUL"},
		{"structured, not JSON", created, structured, `{"data":`, event.ErrMalformed, "at byte"},
		{"structured, wrong type", created, structured, `{"id":7,"data":{}}`, event.ErrMalformed, "id must be a string"},
		{"structured, no data", created, structured, `{"id":"x"}`, event.ErrMalformed, "no data"},
		{"structured, both", created, structured, `{"id":"x","data":{},"data_base64":""}`, event.ErrMalformed, "send one"},
		{"structured, bad base64", created, structured, `{"id":"x","data_base64":"%"}`, event.ErrMalformed, "data_base64"},
		{"structured, bad UTF-8", created, structured, "{\"id\":\"\xff\"}", event.ErrMalformed, "UTF-8"},

		{"too large", created, js, `{"text":"` + strings.Repeat("x", event.MaxPayload) + `"}`, event.ErrTooLarge, "by reference"},
		{"too large, structured", created, structured, `{"data":{"text":"` + strings.Repeat("x", event.MaxPayload) + `"}}`, event.ErrTooLarge, "by reference"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env, _, err := read(c.subject, c.header, []byte(c.data))
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			if len(err.Error()) > 400 || strings.Contains(err.Error(), "sekret") {
				t.Errorf("the error quotes the payload: %.200q", err)
			}
			// A dead letter names the event.
			if env.ID == "" || c.subject != "" && env.Subject == "" {
				t.Errorf("envelope beside the error: %+v", env)
			}
		})
	}
}

// The dead letter of an event that cannot be read still carries its id, its
// publisher and its trace.
func TestEnvelopeBesideAnError(t *testing.T) {
	t.Parallel()
	env, err := event.Parse(created+".ci-bot", header("ce-id", "a", "traceparent", parent, "ce-source", "ci", "ce-time", "yesterday"), []byte(payload), "MEMORY:7")
	if err == nil || env.ID != "a" || env.Principal != "ci-bot" || env.Traceparent != parent || env.Source != "ci" || string(env.Data) != payload {
		t.Errorf("%v %+v", err, env)
	}
	env, err = event.Parse(created+".a.b", header("Ce-Id", "x%21"), nil, "MEMORY:7")
	if !errors.Is(err, event.ErrSubject) || env.ID != "x!" || env.Subject != created+".a.b" || env.Principal != "" {
		t.Errorf("%v %+v", err, env)
	}
}

// W3C: a trace context that is not well-formed is as good as none.
func TestTraceContext(t *testing.T) {
	t.Parallel()
	bad := []string{
		"", "x", strings.ToUpper(parent), parent + "x", parent[:54], "ff" + parent[2:],
		strings.Replace(parent, "4bf92f3577b34da6a3ce929d0e0e4736", strings.Repeat("0", 32), 1),
		strings.Replace(parent, "00f067aa0ba902b7", strings.Repeat("0", 16), 1),
		parent + "-future", strings.Replace(parent, "4b", "zz", 1), "01" + parent[2:] + "-a b",
	}
	for _, p := range bad {
		env, err := event.Parse(created, header("traceparent", p, "tracestate", "k=v"), []byte(payload), "MEMORY:7")
		if err != nil || env.Traceparent != "" || env.Tracestate != "" {
			t.Errorf("%q: %v %q %q", p, err, env.Traceparent, env.Tracestate)
		}
	}
	future := "01" + parent[2:] + "-more"
	env, err := event.Parse(created, header("traceparent", future, "tracestate", strings.Repeat("x", 513)), []byte(payload), "MEMORY:7")
	if err != nil || env.Traceparent != future || env.Tracestate != "" {
		t.Errorf("%v %+v", err, env)
	}
}

func ExampleParse() {
	env, err := event.Parse("memory.proposal.created.ci-bot", nil, []byte(`{"scope":"project:shop","text":"Prices are in cents."}`), "MEMORY:42")
	if err != nil {
		fmt.Println(err)
		return
	}
	var p winnowv1.ProposalCreated
	if err := event.Unmarshal(env, &p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(env.ID, env.Type, env.Principal)
	fmt.Println(p.GetText())
	// Output:
	// MEMORY:42 memory.proposal.created.v1 ci-bot
	// Prices are in cents.
}
