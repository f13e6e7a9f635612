package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// RawWrite inserts the rows of a set and nothing else: no claims, no lanes, no
// chain and, with a superuser's pool, no row security. It is the ceiling that
// the benchmarks compare with.
func RawWrite(ctx context.Context, pool *pgxpool.Pool, tenant memory.Tenant, set change.Set, scopes []memory.Scope) error {
	locked := make([]lane, len(scopes))
	for i, scope := range scopes {
		locked[i] = lane{scope: scope}
	}
	w, err := newWriter(tenant, set, locked)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue("begin")
	w.proposals(b, set.Proposals)
	w.memories(b, set.Memories)
	w.decisions(b, set.Decisions)
	w.evidence(b, set.Evidence)
	w.events(b, w.outbox)
	b.Queue("commit")
	return pool.SendBatch(ctx, b).Close()
}

// Session is the pool that a tenant's reads go through. With one connection it is
// the session that made their plans.
func Session(s *Store) *pgxpool.Pool { return s.app }

// RelaySession is the pool that the outbox and retention go through.
func RelaySession(s *Store) *pgxpool.Pool { return s.relay }
