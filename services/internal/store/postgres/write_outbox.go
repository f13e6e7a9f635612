package postgres

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// source is the CloudEvents source of Winnow's own events.
const source = "winnow"

// outgoing is an event as the relay will publish it.
type outgoing struct {
	id, subject, header string
	data                []byte
	// reader is set of a copy in JSON: the reviewer whose gateways may choose it.
	reader string
}

// encodeEvents encodes the events in their form on the bus, so that an event that
// cannot be encoded fails the commit and not the relay. Each event names its
// tenant, because a subscriber has no credential of the publisher to derive the
// tenant from.
func encodeEvents(enc *encoder, tenant memory.Tenant, events []change.Event) ([]outgoing, error) {
	out := make([]outgoing, len(events))
	for i := range events {
		e := &events[i]
		if e.Message == nil {
			return nil, fmt.Errorf("%w: event %s has no message", store.ErrInvalid, e.ID)
		}
		header, data, err := event.Encode(e.Message, event.Options{ID: e.ID, Source: source, Tenant: string(tenant), Traceparent: e.Traceparent})
		if err != nil {
			return nil, fmt.Errorf("%w: event %s: %w", store.ErrInvalid, e.ID, err)
		}
		out[i] = outgoing{id: e.ID, subject: e.Subject, header: headerText(header, enc), data: data}
	}
	return out, enc.err
}

// encodeCopies returns the events for gateways once more, in JSON. Which of them are
// stored is decided by insertCopies. A copy has no limit of size here: one that the
// server refuses becomes a dead letter and spoils no commit.
func encodeCopies(enc *encoder, tenant memory.Tenant, events []change.Event) ([]outgoing, error) {
	var out []outgoing
	for i := range events {
		e := &events[i]
		to, ok := e.Message.(interface{ GetReviewer() string })
		subject := event.SubjectJSON(e.Subject)
		if !ok || subject == "" {
			continue
		}
		header, data, err := event.EncodeStructured(e.Message, event.Options{ID: e.ID, Source: source, Tenant: string(tenant), Traceparent: e.Traceparent})
		if err != nil {
			return nil, fmt.Errorf("%w: event %s as JSON: %w", store.ErrInvalid, e.ID, err)
		}
		out = append(out, outgoing{id: e.ID, subject: subject, header: headerText(header, enc), data: data, reader: to.GetReviewer()})
	}
	return out, enc.err
}

const insertOutbox = `
insert into outbox (tenant, event_id, subject, header, data)
select $1, event_id, subject, header::json, data
from unnest($2::text[], $3::text[], $4::text[], $5::bytea[]) as r (event_id, subject, header, data)`

func (w *writer) events(b *pgx.Batch, rows []outgoing) {
	b.Queue(insertOutbox, string(w.tenant),
		column(rows, func(o *outgoing) string { return o.id }),
		column(rows, func(o *outgoing) string { return o.subject }),
		column(rows, func(o *outgoing) string { return o.header }),
		column(rows, func(o *outgoing) []byte { return o.data }))
}

// insertCopies stores the copies that a gateway reads. Asking in the transaction of the
// event leaves no time between a gateway's choice and its effect, and the copy is
// published as exactly once as the event (ADR 59).
const insertCopies = `
insert into outbox (tenant, event_id, subject, header, data)
select $1, event_id, subject, header::json, data
from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[]) as r (event_id, subject, header, data, reader)
where winnow_reads_json(reader)`

func (w *writer) eventCopies(b *pgx.Batch, rows []outgoing) {
	b.Queue(insertCopies, string(w.tenant),
		column(rows, func(o *outgoing) string { return o.id }),
		column(rows, func(o *outgoing) string { return o.subject }),
		column(rows, func(o *outgoing) string { return o.header }),
		column(rows, func(o *outgoing) []byte { return o.data }),
		column(rows, func(o *outgoing) string { return o.reader }))
}

// headerText returns a header as JSON, its names in order. Nearly all headers are plain
// ASCII with one value for each name, and need no encoder.
func headerText(header map[string][]string, enc *encoder) string {
	var room [16]string
	names := room[:0]
	size := 2
	for name, values := range header {
		if len(values) != 1 || !plain(name) || !plain(values[0]) {
			return enc.text(header)
		}
		names = append(names, name)
		size += len(name) + len(values[0]) + 8
	}
	slices.Sort(names)
	out := append(make([]byte, 0, size), '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), name...), `":["`...)
		out = append(append(out, header[name][0]...), `"]`...)
	}
	return string(append(out, '}'))
}

// plain reports whether a text stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// header scans a header from JSON.
type header struct{ to *map[string][]string }

// ScanBytes implements [pgtype.BytesScanner].
func (h header) ScanBytes(text []byte) error {
	if parsed, ok := plainHeader(string(text)); ok {
		*h.to = parsed
		return nil
	}
	*h.to = nil
	return json.Unmarshal(text, h.to)
}

// plainHeader parses what headerText writes of a plain header, and nothing else.
func plainHeader(text string) (map[string][]string, bool) {
	rest, ok := strings.CutPrefix(text, `{"`)
	if !ok || strings.IndexByte(text, '\\') >= 0 {
		return nil, false
	}
	out := make(map[string][]string, 10)
	for {
		name, after, ok := strings.Cut(rest, `":["`)
		if !ok || strings.IndexByte(name, '"') >= 0 {
			return nil, false
		}
		value, after, ok := strings.Cut(after, `"`)
		if !ok {
			return nil, false
		}
		out[name] = []string{value}
		switch {
		case after == `]}`:
			return out, true
		case strings.HasPrefix(after, `],"`):
			rest = after[3:]
		default:
			return nil, false
		}
	}
}
