package event

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MaxMessage is the largest message that a NATS server takes by default,
	// headers and payload together, in bytes.
	MaxMessage = 1 << 20
	// MaxHeaders is the part of MaxMessage that is reserved for headers, in
	// bytes. This package writes under 2 KiB; the rest is for relays and
	// tracing.
	MaxHeaders = 8 << 10
	// MaxPayload is the largest payload, in bytes. A longer session trace goes
	// by reference.
	MaxPayload = MaxMessage - MaxHeaders
	// MaxID is the longest event id, in bytes.
	MaxID = 256
)

// Envelope is one message with everything known about it except what its
// payload says.
type Envelope struct {
	// ID makes the event unique together with Principal: ce-id, else
	// Nats-Msg-Id, else the payload's id, else the fallback.
	ID string
	// Type is ce-type, such as memory.proposal.created.v1. For a message
	// without ce-type it is the type that its subject implies.
	Type string
	// Source is ce-source: what the publisher calls itself. A claim, never an
	// identity. May be empty.
	Source string
	// Subject is the bare subject, one of the constants of this package. When
	// Parse returned ErrSubject it is the subject as received.
	Subject string
	// Time is ce-time, zero if the publisher sent none.
	Time time.Time
	// ContentType is ContentProtobuf or ContentJSON.
	ContentType string
	// Principal is the last token of the subject, empty when the subject was
	// bare.
	Principal string
	// Tenant of an event that Winnow itself published. Always empty on subjects
	// that others publish on, whatever the message says: there it follows from
	// the principal.
	Tenant string
	// Traceparent is the W3C trace context, empty when there is none or it is
	// not well-formed.
	Traceparent string
	// Tracestate belongs to Traceparent and is empty without it.
	Tracestate string
	// Data is the payload. It may share memory with what Parse was given.
	Data []byte
}

// Parse reads subject and headers of a message. Names of headers are compared
// without regard to case. fallbackID is the id of an event that brings none,
// which must be the same for every delivery of the message; Winnow uses
// <stream>:<sequence>:<time of storing in nanoseconds>.
//
// The error is one of the sentinels. The envelope then still holds what could
// be read, at least Subject and an ID, so that a dead letter can name them.
func Parse(subject string, header map[string][]string, data []byte, fallbackID string) (Envelope, error) {
	h := fold(header)
	env := Envelope{ID: fallbackID, Subject: subject, Data: data}
	bare, principal, err := SplitSubject(subject)
	if err != nil {
		if id := first(percentDecode(h[headerID]), h[headerMsgID]); validID(id) {
			env.ID = id
		}
		return env, err
	}
	env.Subject, env.Principal, env.Type = bare, principal, TypeFor(bare)
	if !kinds[bare].fromPrincipal {
		env.Tenant = percentDecode(h[headerTenant])
	}

	a, err := readAttributes(h, data)
	if idErr := env.setAttributes(a); err == nil {
		err = idErr
	}
	if err != nil {
		return env, err
	}
	if err := checkSpecVersion(a.specVersion); err != nil {
		return env, err
	}
	if env.Time, err = parseTime(a.time); err != nil {
		return env, err
	}
	if len(env.Data) > MaxPayload {
		return env, tooLarge(len(env.Data))
	}
	if env.ContentType, err = contentType(a.contentType, env.Data, bare); err != nil {
		return env, err
	}
	if a.id == "" {
		err = env.setID("the payload's id", payloadID(env.ContentType, env.Data))
	}
	return env, err
}

// setAttributes sets every attribute that can be read, even when another one
// cannot. Its error is that of the id.
func (e *Envelope) setAttributes(a attributes) error {
	e.Source = a.source
	e.Type = first(a.typ, e.Type)
	e.Traceparent, e.Tracestate = a.traceparent, a.tracestate
	e.Data = a.data
	return e.setID("ce-id or Nats-Msg-Id", a.id)
}

// setID replaces the fallback unless the message brought no id.
func (e *Envelope) setID(field, id string) error {
	if id == "" {
		return nil
	}
	if !validID(id) {
		return fmt.Errorf("%w: %s has %d bytes or control characters; send at most %d printable ones", ErrMalformed, field, len(id), MaxID)
	}
	e.ID = id
	return nil
}

func tooLarge(n int) error {
	return fmt.Errorf("%w: the payload has %d bytes, at most %d are taken; send a long trace by reference", ErrTooLarge, n, MaxPayload)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// validID reports whether s can be an event's id: it becomes part of a key, of
// log lines and of a person's command line.
func validID(s string) bool {
	return s != "" && len(s) <= MaxID && utf8.ValidString(s) &&
		strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func checkSpecVersion(v string) error {
	if v == "" || v == "1" || strings.HasPrefix(v, "1.") {
		return nil
	}
	return fmt.Errorf("%w: ce-specversion %q; send 1.0", ErrVersion, v)
}

func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: ce-time is not RFC 3339; send it like 2026-01-31T09:30:00Z, or leave it out", ErrMalformed)
	}
	return t, nil
}
