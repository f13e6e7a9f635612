package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	digestColumns = `g.tenant, g.id, g.reviewer, g.slot, g.code, g.language, g.from_at, g.until_at, g.created_at,
	g.expires_at, g.body, g.items, g.spots`

	digestByCode = `
select ` + digestColumns + ` from digests g where g.tenant = $1 and g.code = $2
order by g.created_at desc, g.id desc limit 1`

	selectReplies = `
select tenant, id, digest_id, principal, body, answer, applied, decisions, undoes, replied_at
from digest_replies where tenant = $1 and digest_id = $2 order by replied_at, id`
)

func scanDigest(row pgx.CollectableRow) (d memory.Digest, err error) {
	err = row.Scan(&d.Tenant, &d.ID, &d.Reviewer, &d.Slot, &d.Code, &d.Language, nullable(&d.From),
		nullable(&d.Until), nullable(&d.CreatedAt), nullable(&d.ExpiresAt), &d.Text, &d.Items, &d.Spots)
	return d, err
}

// Digest implements [store.Digests].
func (s *Store) Digest(ctx context.Context, tenant memory.Tenant, id string) (memory.Digest, error) {
	return one(ctx, s, tenant, id, scanDigest,
		`select `+digestColumns+` from digests g where g.tenant = $1 and g.id = $2`)
}

// DigestByCode implements [store.Digests]. The error does not contain the code,
// because the code is the right to answer.
func (s *Store) DigestByCode(ctx context.Context, tenant memory.Tenant, code string) (memory.Digest, error) {
	rows, err := list(ctx, s, tenant, "read digest by code", scanDigest, digestByCode, string(tenant), code)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: no digest has this code", store.ErrNotFound)
	}
	return first(rows), err
}

// Digests implements [store.Digests].
func (s *Store) Digests(ctx context.Context, tenant memory.Tenant, reviewer string, limit int) ([]memory.Digest, error) {
	var f filter
	f.where("g.tenant = $", string(tenant))
	f.whereText("g.reviewer = $", reviewer)
	query := f.page(`select `+digestColumns+` from digests g`, "g.created_at desc, g.id desc", limit)
	return list(ctx, s, tenant, "list digests", scanDigest, query, f.args...)
}

// DigestReplies implements [store.Digests].
func (s *Store) DigestReplies(ctx context.Context, tenant memory.Tenant, digestID string) ([]memory.DigestReply, error) {
	return list(ctx, s, tenant, "read digest replies", func(row pgx.CollectableRow) (r memory.DigestReply, err error) {
		err = row.Scan(&r.Tenant, &r.ID, &r.DigestID, &r.Principal, &r.Text, &r.Answer, &r.Applied, &r.Decisions,
			&r.Undoes, nullable(&r.At))
		return r, err
	}, selectReplies, string(tenant), digestID)
}

// Reviewers implements [store.Digests].
func (s *Store) Reviewers(ctx context.Context, tenant memory.Tenant) ([]memory.Reviewer, error) {
	const query = `select principal, scope, language from reviewers where tenant = $1 order by principal, scope`
	return list(ctx, s, tenant, "read reviewers", func(row pgx.CollectableRow) (r memory.Reviewer, err error) {
		err = row.Scan(&r.Principal, &r.Scope, &r.Language)
		return r, err
	}, query, string(tenant))
}

// LastSlot implements [store.Digests].
func (s *Store) LastSlot(ctx context.Context, tenant memory.Tenant, schedule string) (time.Time, error) {
	const query = `select max(slot) from schedule_runs where tenant = $1 and schedule = $2`
	slots, err := list(ctx, s, tenant, "read last slot", func(row pgx.CollectableRow) (at time.Time, err error) {
		err = row.Scan(nullable(&at))
		return at, err
	}, query, string(tenant), schedule)
	return first(slots), err
}
