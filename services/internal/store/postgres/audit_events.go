package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	auditColumns = `l.seq, e.n, l.at, e.actor, e.principal, e.action, e.subject, b.body`

	selectAudit = `
select ` + auditColumns + `
from audit_links l join audit_events e using (tenant, link)
left join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where l.tenant = $1 and l.seq < $2 order by l.seq desc, e.n desc limit $3`

	// For one subject the join starts at the events: a subject has few.
	selectAuditOf = `
select ` + auditColumns + `
from audit_events e join audit_links l using (tenant, link)
left join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where e.tenant = $1 and e.subject = $4 and l.seq < $2 order by l.seq desc, e.n desc limit $3`
)

// AuditHead implements [store.AuditLog].
func (s *Store) AuditHead(ctx context.Context, tenant memory.Tenant) (seq int64, hash string, err error) {
	_, err = list(ctx, s, tenant, "read audit head", func(row pgx.CollectableRow) (_ struct{}, err error) {
		var sum []byte
		err = row.Scan(&seq, &sum)
		hash = hex.EncodeToString(sum)
		return struct{}{}, err
	}, selectHead, string(tenant))
	return seq, hash, err
}

// AuditEvents implements [store.AuditLog].
func (s *Store) AuditEvents(ctx context.Context, tenant memory.Tenant, subject string, before int64, limit int) ([]store.AuditEvent, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	if limit <= 0 {
		limit = defaultLimit
	}
	query, args := selectAudit, []any{string(tenant), before, limit}
	if subject != "" {
		query, args = selectAuditOf, append(args, subject)
	}
	return list(ctx, s, tenant, "read audit log", func(row pgx.CollectableRow) (e store.AuditEvent, err error) {
		var body *string
		err = row.Scan(&e.Seq, &e.N, nullable(&e.At), &e.Actor, &e.Principal, &e.Action, &e.Subject, &body)
		if body != nil {
			e.Body = json.RawMessage(*body)
		}
		return e, err
	}, query, args...)
}
