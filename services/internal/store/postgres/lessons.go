package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The event of a drawn lesson is <session id>/<n>, n from 1. A session is distilled in
// the transaction that proposes its lessons, and extracted counts them. The id of a
// recorded lesson begins with its principal.
const selectOwnLessons = `
select r.at - 1
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int4[]) with ordinality as r (event, principal, name, session, n, at)
where starts_with(r.event, r.principal || '/')
		and exists (select from inbox i where i.key = r.event and i.consumer = $7 and i.tenant = $1)
	or exists (select from sessions s where s.tenant = $1 and s.id = r.session and s.principal = r.principal and s.name = r.name
		and s.state = $8 and r.n between 1 and s.extracted)
order by r.at`

// OwnLessons implements [store.Lessons].
func (s *Store) OwnLessons(ctx context.Context, tenant memory.Tenant, events []store.LessonEvent) ([]int, error) {
	if len(events) == 0 {
		return nil, nil
	}
	type event = store.LessonEvent
	return list(ctx, s, tenant, "list own lessons", pgx.RowTo[int], selectOwnLessons, string(tenant),
		column(events, func(e *event) string { return e.ID }),
		column(events, func(e *event) string { return e.Principal }),
		column(events, func(e *event) string { return e.Session }),
		column(events, func(e *event) string { session, _ := drawnFrom(e.ID); return session }),
		column(events, func(e *event) int32 { _, n := drawnFrom(e.ID); return n }),
		store.RecordConsumer, string(memory.SessionDistilled))
}

// drawnFrom returns the session and the number that the id of a drawn lesson names,
// and 0 for an id of another form.
func drawnFrom(event string) (session string, n int32) {
	session, number, _ := strings.Cut(event, "/")
	i, err := strconv.ParseInt(number, 10, 32)
	if err != nil || strconv.FormatInt(i, 10) != number {
		return session, 0
	}
	return session, int32(i)
}
