package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Principal implements [store.Directory].
func (s *Store) Principal(ctx context.Context, id string) (memory.Principal, error) {
	return s.findPrincipal(ctx, &id, nil)
}

// PrincipalByKey implements [store.Directory].
func (s *Store) PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error) {
	return s.findPrincipal(ctx, nil, keyHash)
}

// findPrincipal calls winnow_principal, the only function that reads the
// principals of all tenants.
func (s *Store) findPrincipal(ctx context.Context, id *string, key []byte) (memory.Principal, error) {
	rows, err := s.app.Query(ctx, `select `+principalColumns+` from winnow_principal($1, $2)`, id, key)
	if err != nil {
		return memory.Principal{}, mapError("find principal", err)
	}
	p, err := pgx.CollectExactlyOneRow(rows, scanPrincipal)
	return p, mapError("find principal", err)
}

// Tenants implements [store.Directory].
func (s *Store) Tenants(ctx context.Context) ([]memory.Tenant, error) {
	rows, err := s.app.Query(ctx, `select winnow_tenants()`)
	if err != nil {
		return nil, mapError("list tenants", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[memory.Tenant])
	return tenants, mapError("list tenants", err)
}

const principalColumns = `tenant, id, highest, name, service, speaks_for, created_at`

func scanPrincipal(row pgx.CollectableRow) (p memory.Principal, err error) {
	err = row.Scan(&p.Tenant, &p.ID, (*origin)(&p.Highest), &p.Name, &p.Service, &p.SpeaksFor, nullable(&p.CreatedAt))
	return p, err
}
