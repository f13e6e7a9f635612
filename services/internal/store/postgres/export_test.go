package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// RawWrite inserts the rows of a set without claims, lanes and audit chain, and
// with a superuser's pool without row security. Benchmarks use RawWrite as the
// upper bound.
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
	w.decisions(b, set.Decisions)
	w.memories(b, set.Memories)
	w.evidence(b, set.Evidence)
	w.events(b, w.outbox)
	b.Queue("commit")
	return pool.SendBatch(ctx, b).Close()
}

// Session returns the pool of a tenant's reads. With one connection the pool is the
// database session that made the plans.
func Session(s *Store) *pgxpool.Pool { return s.app }

// RelaySession returns the pool of the outbox and of retention.
func RelaySession(s *Store) *pgxpool.Pool { return s.relay }
