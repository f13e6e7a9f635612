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

// A text and its session are two transactions, and neither sees what the other
// has not committed. So that whichever commits second sees the first one, both
// lock the session's name: a batch for sharing, before it reads which sessions
// are there; a session alone, before it reads which texts are there. Where the
// batch has the lock first, the session waits until the batch has committed and
// reads its texts; where the session has it first, the batch waits and reads the
// session. Every statement reads what was committed when it began, and the locks
// go with the transaction, after its commit is visible.
//
// Every transaction takes its locks in one order: inbox keys, scopes (created,
// then locked, each by id), names of sessions (by number), rows, the audit head.
const (
	// classSession is "WINS", a class of advisory locks beside those of leases.
	classSession = 0x57494e53
	// nameLocks is how many locks the names of sessions share. One for each name
	// could fill the server's table of locks, which has 64 places a connection. Two
	// names with one lock wait for each other now and then and do no harm.
	nameLocks = 256

	shareNames = `
select pg_advisory_xact_lock_shared($1, n) from unnest($2::int4[]) as r (n)`

	takeNames = `
select pg_advisory_xact_lock($1, n) from unnest($2::int4[]) as r (n)`

	// The order names the index, see [byID].
	selectHeard = `
select s.principal, s.name, s.id, s.format, s.highest
from unnest($2::text[], $3::text[]) as r (principal, name)
cross join lateral (
	select t.* from sessions t
	where t.tenant = $1 and t.name >= r.name and t.name <= r.name and t.principal = r.principal and t.external > 0
	order by t.name desc, t.id desc limit $4) as s
order by s.principal, s.name, s.id desc`

	// A text in force that the session was not held against counts as a row that
	// is not as expected.
	expectJudged = `
select winnow_expect(0, (
	select count(*) from proposals p
	where p.tenant = $1 and p.session_id = $3 and p.session_id <> '' and p.principal = $2
		and p.state in ('pending', 'needs_review', 'promoted') and p.authority > $4 and p.origin <> $5
		and p.id <> all ($6::text[])))`
)

// nameLocksOf are the locks of names, sorted and without repetition.
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

// queueHeard adds the question which of these sessions heard words from outside.
func queueHeard(b *pgx.Batch, tenant memory.Tenant, names []change.SessionName, heard *[]store.HeardSession) {
	b.Queue(selectHeard, string(tenant),
		column(names, func(n *change.SessionName) string { return n.Principal }),
		column(names, func(n *change.SessionName) string { return n.Name }), store.MaxHeard,
	).Query(func(rows pgx.Rows) (err error) {
		*heard, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h store.HeardSession, err error) {
			err = row.Scan(&h.Principal, &h.Name, &h.ID, &h.Format, (*origin)(&h.Highest))
			return h, err
		})
		return err
	})
}

// Heard implements [store.Sessions].
func (s *Store) Heard(ctx context.Context, tenant memory.Tenant, names []change.SessionName) (heard []store.HeardSession, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = s.read(ctx, tenant, func(b *pgx.Batch) { queueHeard(b, tenant, names, &heard) })
	return heard, mapError("list heard sessions", err)
}

// Heard implements [store.LaneView].
func (v *laneView) Heard(ctx context.Context, names []change.SessionName) (heard []store.HeardSession, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = v.tx.send(ctx, func(b *pgx.Batch) {
		b.Queue(shareNames, classSession, nameLocksOf(v.tx.tenant, names))
		queueHeard(b, v.tx.tenant, names, &heard)
	})
	return heard, mapError("list heard sessions", err)
}

// judged locks the names of new sessions and checks that no text of theirs was
// recorded since they were decided on.
func (w *writer) judged(b *pgx.Batch, rows []change.Judged) {
	b.Queue(takeNames, classSession, nameLocksOf(w.tenant, column(rows, func(j *change.Judged) change.SessionName { return j.SessionName })))
	for _, j := range rows {
		texts := j.Texts
		if texts == nil {
			texts = []string{} // of null, nothing would be counted
		}
		b.Queue(expectJudged, string(w.tenant), j.Principal, j.Name, int16(memory.OriginExternal), int16(memory.OriginHuman), texts)
	}
}
