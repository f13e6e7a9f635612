package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

var sessionColumns, scanSession = sessionTable.columns, sessionTable.scan

const selectTrace = `
select chunk from session_traces where tenant = $1 and session_id = $2 order by n`

// Session implements [store.Sessions].
func (s *Store) Session(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error) {
	return one(ctx, s, tenant, id, scanSession,
		`select `+sessionColumns+` from sessions s where s.tenant = $1 and s.id = $2`)
}

// Sessions implements [store.Sessions].
func (s *Store) Sessions(ctx context.Context, tenant memory.Tenant, q store.SessionQuery) ([]memory.Session, error) {
	var f filter
	f.where("s.tenant = $", string(tenant))
	f.whereText("s.scope = $", string(q.Scope))
	f.whereText("s.principal = $", q.Principal)
	f.whereText("s.name = $", q.Name)
	f.whereText("s.hash = $", q.Hash)
	f.whereText("s.state = $", string(q.State))
	query := f.query(`select `+sessionColumns+` from sessions s`, "s.id", q.Before, true, q.Limit)
	return list(ctx, s, tenant, "list sessions", scanSession, query, f.args...)
}

// Trace implements [store.Sessions].
func (s *Store) Trace(ctx context.Context, tenant memory.Tenant, id string) ([][]byte, error) {
	chunks, err := list(ctx, s, tenant, "read trace", pgx.RowTo[[]byte], selectTrace, string(tenant), id)
	if err == nil && len(chunks) == 0 {
		err = fmt.Errorf("%w: trace of %s", store.ErrNotFound, id)
	}
	return chunks, err
}
