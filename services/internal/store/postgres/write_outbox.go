package postgres

import (
	"fmt"

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
}

// encodeEvents encodes the events in their form on the bus, so that an event that
// cannot be encoded fails the commit and not the relay. Each event names its
// tenant, because a subscriber has no credential of the publisher to derive the
// tenant from.
func encodeEvents(json *encoder, tenant memory.Tenant, events []change.Event) ([]outgoing, error) {
	out := make([]outgoing, len(events))
	for i := range events {
		e := &events[i]
		if e.Message == nil {
			return nil, fmt.Errorf("%w: event %s has no message", store.ErrInvalid, e.ID)
		}
		header, data, err := event.Encode(e.Message, event.Options{ID: e.ID, Source: source, Tenant: string(tenant)})
		if err != nil {
			return nil, fmt.Errorf("%w: event %s: %w", store.ErrInvalid, e.ID, err)
		}
		out[i] = outgoing{id: e.ID, subject: e.Subject, header: json.text(header), data: data}
	}
	return out, json.err
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
