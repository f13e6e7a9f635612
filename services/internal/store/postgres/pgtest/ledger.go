package pgtest

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

//go:embed ledger.sql
var ledger string

// Faults asks the database itself, in SQL and beside all code of Winnow, what was lost,
// what took effect twice, and what does not fit together, and then the audit whether its
// chain and the rows verify. It returns at most 100 faults of each kind of question, in
// words with ids; nothing means that everything agrees.
//
// sent has the ids of all proposals' events that the stream acknowledged; nil asks only
// what the database can tell by itself. pool is a superuser's. Call it when nothing waits
// any more: an event in the outbox is a fault.
func Faults(ctx context.Context, pool *pgxpool.Pool, s store.AuditLog, sent []string, tenants ...memory.Tenant) ([]string, error) {
	rows, err := pool.Query(ctx, ledger, sent)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var faults []string
	var fault, id string
	_, err = pgx.ForEachRow(rows, []any{&fault, &id}, func() error {
		faults = append(faults, fault+": "+id)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if len(tenants) == 0 {
		tenants = []memory.Tenant{memory.DefaultTenant}
	}
	for _, t := range tenants {
		chain, err := s.VerifyAudit(ctx, t)
		if err != nil {
			return faults, err
		}
		if chain.BrokenAt != 0 {
			faults = append(faults, fmt.Sprintf("audit of %s: link %d: %s", t, chain.BrokenAt, chain.Problem))
		}
		r, err := s.VerifyRows(ctx, t)
		if err != nil {
			return faults, err
		}
		for _, id := range r.Differ {
			faults = append(faults, "a row that was changed: "+id)
		}
		for _, id := range r.Missing {
			faults = append(faults, "a row that is missing: "+id)
		}
	}
	return faults, nil
}
