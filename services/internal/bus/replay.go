package bus

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
)

// Replayed returns the message that replays a letter's original: the same bytes under
// a new message id, which the stream does not know, and with the event id of the first
// delivery, so that an effect that did happen does not happen twice.
func Replayed(l DeadLetter, messageID string) Outgoing {
	header := make(map[string][]string, len(l.Header)+1)
	stated := false
	for name, values := range l.Header {
		low := strings.ToLower(name)
		// Headers to the server of the first publish (expectations, batches, message
		// id) must not apply to this one.
		if strings.HasPrefix(low, "nats-") {
			continue
		}
		stated = stated || low == "ce-id"
		header[name] = values
	}
	if !stated {
		// The id came from the message id, the payload or the sequence number; parsing
		// the replay would find only the payload's.
		env, _ := event.Parse(l.Subject, l.Header, l.Data, FallbackID(l.Stream, l.Sequence, l.Stored))
		header["ce-id"] = []string{percentEncoded(env.ID)}
	}
	return Outgoing{ID: messageID, Subject: l.Subject, Header: header, Data: l.Data}
}

// Addressed returns the subject on which a message is published by this version. A
// digest or an answer to a reply from a version that did not address them gets the
// tenant and the reviewer that its payload names. Any other message keeps its subject.
func Addressed(o Outgoing) string {
	if o.Subject != event.SubjectDigestTriage && o.Subject != event.SubjectDigestAnswered {
		return o.Subject
	}
	env, err := event.Parse(o.Subject, o.Header, o.Data, o.ID)
	if err != nil || env.Tenant == "" {
		return o.Subject
	}
	msg, err := event.NewMessage(o.Subject)
	if err != nil || event.Unmarshal(env, msg) != nil {
		return o.Subject
	}
	named, ok := msg.(interface{ GetReviewer() string })
	if !ok || named.GetReviewer() == "" {
		return o.Subject
	}
	return event.SubjectForReviewer(o.Subject, env.Tenant, named.GetReviewer())
}

// FallbackID returns the id of an event without one: its stream, its sequence number
// and the time at which the stream stored it, in nanoseconds since 1970. Every delivery
// of one message has the same id. The sequence number alone is not enough: a stream
// that is created again, or an empty server beside a restored store, assigns numbers
// again that the inbox holds already (ADR 18).
func FallbackID(stream string, seq uint64, stored time.Time) string {
	return fmt.Sprintf("%s:%d:%d", stream, seq, stored.UnixNano())
}

// percentEncoded returns an id in the encoding of CloudEvents headers.
func percentEncoded(id string) string {
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
