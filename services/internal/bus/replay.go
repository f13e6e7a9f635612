package bus

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
)

// Replayed is what publishing a letter's original again sends: the same bytes
// under a new message id, which the stream has not seen, but with the event id
// that the first delivery had, so that an effect that did happen does not
// happen twice.
func Replayed(l DeadLetter, messageID string) Outgoing {
	header := make(map[string][]string, len(l.Header)+1)
	stated := false
	for name, values := range l.Header {
		low := strings.ToLower(name)
		// What the server read from the first publish (expectations, batches,
		// its message id) must not apply to this one.
		if strings.HasPrefix(low, "nats-") {
			continue
		}
		stated = stated || low == "ce-id"
		header[name] = values
	}
	if !stated {
		// The id came from the message id, the payload or the place in the
		// stream; of these only the payload's would be found again.
		env, _ := event.Parse(l.Subject, l.Header, l.Data, FallbackID(l.Stream, l.Sequence, l.Stored))
		header["ce-id"] = []string{percentEncoded(env.ID)}
	}
	return Outgoing{ID: messageID, Subject: l.Subject, Header: header, Data: l.Data}
}

// Addressed returns the subject on which a message is published today. A digest,
// and the answer to a reply, from a version that did not address them are given the
// tenant and the reviewer that they name; what names neither stays where it is.
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

// FallbackID is the id of an event that brings none: its place in the stream and
// the time at which the stream stored it, in nanoseconds since 1970. Each delivery
// of one message has the same. The place alone is not enough: a stream that is
// made anew, or an empty server beside a restored store, gives places out again,
// and the inbox holds them already (ADR 18).
func FallbackID(stream string, seq uint64, stored time.Time) string {
	return fmt.Sprintf("%s:%d:%d", stream, seq, stored.UnixNano())
}

// percentEncoded writes an id as CloudEvents wants it in a header.
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
