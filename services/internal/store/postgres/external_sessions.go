package postgres

import (
	"context"
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A text and its session are written by two transactions, and neither sees the
// uncommitted rows of the other. Both lock the session's name, so that the later
// commit sees the earlier one. A batch takes the lock in shared mode before it
// reads the stored sessions. A session takes the lock in exclusive mode before it
// reads the stored texts.
//
// When the batch has the lock first, the session waits for the commit of the batch
// and reads its texts. When the session has the lock first, the batch waits and
// reads the session. Every statement reads the rows that were committed when the
// statement began. The server releases the locks after the commit is visible.
//
// Every transaction takes its locks in one order: inbox keys, scopes (created,
// then locked, each by id), names of sessions (by number), rows, the audit head.
const (
	// classSession is "WINS", a class of advisory locks beside those of leases.
	classSession = 0x57494e53
	// nameLocks is the number of locks that the names of sessions share. A lock
	// for each name could fill the server's lock table, which has 64 entries for
	// each connection. Two names with the same lock may wait for each other,
	// which is harmless.
	nameLocks = 256

	lockNamesShared = `
select pg_advisory_xact_lock_shared($1, n) from unnest($2::int4[]) as r (n)`

	lockNames = `
select pg_advisory_xact_lock($1, n) from unnest($2::int4[]) as r (n)`

	// The order selects the index, see [byID].
	selectExternalSessions = `
select s.principal, s.name, s.id, s.format, s.highest
from unnest($2::text[], $3::text[]) as r (principal, name)
cross join lateral (
	select t.* from sessions t
	where t.tenant = $1 and t.name >= r.name and t.name <= r.name and t.principal = r.principal and t.external > 0
	order by t.name desc, t.id desc limit $4) as s
order by s.principal, s.name, s.id desc`

	// A text in force that is missing from the session's Judged list counts as an
	// unexpected row, which is store.ErrConflict.
	expectJudged = `
select winnow_expect(0, (
	select count(*) from proposals p
	where p.tenant = $1 and p.session_id = $3 and p.session_id <> '' and p.principal = $2
		and p.state in ('pending', 'needs_review', 'promoted') and p.authority > $4 and p.origin <> $5
		and p.id <> all ($6::text[])))`
)

// nameLocksOf returns the locks of names, sorted and without repetition.
func nameLocksOf(tenant memory.Tenant, names []change.SessionName) []int32 {
	locks := make([]int32, 0, len(names))
	for _, n := range names {
		h := fnv.New32a()
		for _, part := range []string{string(tenant), n.Principal, n.Name} {
			_, _ = h.Write([]byte(part)) // a hash never fails
			_, _ = h.Write([]byte{0})
		}
		locks = append(locks, int32(h.Sum32()%nameLocks))
	}
	slices.Sort(locks)
	return slices.Compact(locks)
}

// queueExternalSessions adds the query for the sessions of names that contain external words.
func queueExternalSessions(b *pgx.Batch, tenant memory.Tenant, names []change.SessionName, sessions *[]store.ExternalSession) {
	b.Queue(selectExternalSessions, string(tenant),
		column(names, func(n *change.SessionName) string { return n.Principal }),
		column(names, func(n *change.SessionName) string { return n.Name }), store.MaxExternalSessions,
	).Query(func(rows pgx.Rows) (err error) {
		*sessions, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (s store.ExternalSession, err error) {
			err = row.Scan(&s.Principal, &s.Name, &s.ID, &s.Format, (*origin)(&s.Highest))
			return s, err
		})
		return err
	})
}

// ExternalSessions implements [store.Sessions].
func (s *Store) ExternalSessions(ctx context.Context, tenant memory.Tenant, names []change.SessionName) (sessions []store.ExternalSession, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = s.read(ctx, tenant, func(b *pgx.Batch) { queueExternalSessions(b, tenant, names, &sessions) })
	return sessions, mapError("list sessions with external words", err)
}

// ExternalSessions implements [store.LaneView].
func (v *laneView) ExternalSessions(ctx context.Context, names []change.SessionName) (sessions []store.ExternalSession, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = v.tx.send(ctx, func(b *pgx.Batch) {
		b.Queue(lockNamesShared, classSession, nameLocksOf(v.tx.tenant, names))
		queueExternalSessions(b, v.tx.tenant, names, &sessions)
	})
	return sessions, mapError("list sessions with external words", err)
}

// judged locks the names of new sessions and checks that every text in force under
// such a name is in the session's Judged list.
func (w *writer) judged(b *pgx.Batch, rows []change.Judged) {
	b.Queue(lockNames, classSession, nameLocksOf(w.tenant, column(rows, func(j *change.Judged) change.SessionName { return j.SessionName })))
	for _, j := range rows {
		texts := j.Texts
		if texts == nil {
			texts = []string{} // a comparison with null would count no row
		}
		b.Queue(expectJudged, string(w.tenant), j.Principal, j.Name, int16(memory.OriginExternal), int16(memory.OriginHuman), texts)
	}
}
