package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	selectForget = `select winnow_forget($1, $2, $3, $4)`

	// The ids that a person named and that no row has.
	selectUnknown = `
select a.id from unnest($2::text[]) as a (id)
where not exists (select from memories m where m.tenant = $1 and m.id = a.id)
  and not exists (select from proposals p where p.tenant = $1 and p.id = a.id)
  and not exists (select from sessions s where s.tenant = $1 and s.id = a.id)`
)

// Forget implements [store.Forgetter]. A preview does all of it and rolls back, so it
// cannot differ from what is done.
func (s *Store) Forget(ctx context.Context, tenant memory.Tenant, f store.Forgetting, apply bool) (out store.Forgotten, err error) {
	tx, err := s.operator.Begin(ctx)
	if err != nil {
		return out, asOperator("forget", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	if _, err := tx.Exec(ctx, setTenant, string(tenant)); err != nil {
		return out, asOperator("forget", err)
	}
	rows, err := tx.Query(ctx, selectUnknown, string(tenant), orEmpty(f.IDs))
	if err != nil {
		return out, asOperator("forget", err)
	}
	unknown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return out, asOperator("forget", err)
	}
	if len(unknown) > 0 {
		return out, fmt.Errorf("forget %s: %w", unknown[0], store.ErrNotFound)
	}
	var report []byte
	if err := tx.QueryRow(ctx, selectForget, orEmpty(f.IDs), orEmpty(f.Words), f.By, f.Run).Scan(&report); err != nil {
		return out, asOperator("forget", err)
	}
	if err := json.Unmarshal(report, &out); err != nil {
		return out, fmt.Errorf("forget: %w", err)
	}
	if !apply {
		return out, nil
	}
	if err := emitForgotten(ctx, tx, tenant, f, &out); err != nil {
		return out, err
	}
	return out, mapError("forget", tx.Commit(ctx))
}

// emitForgotten puts the events of changed memories into the outbox.
func emitForgotten(ctx context.Context, tx pgx.Tx, tenant memory.Tenant, f store.Forgetting, done *store.Forgotten) error {
	var events []change.Event
	now := timestamppb.New(time.Now())
	for _, m := range done.Memories {
		id := f.NewID(memory.PrefixEvent)
		events = append(events, change.Event{ID: id, Subject: event.SubjectMemoryArchived, Message: &winnowv1.MemoryArchived{
			Id: id, MemoryId: m.ID, Scope: m.Scope, Reason: memory.ReasonForgotten, DecisionId: f.Run, ArchivedAt: now,
		}})
	}
	if len(done.Restored) > 0 {
		rows, err := tx.Query(ctx, `select id, scope from memories where tenant = $1 and id = any ($2)`, string(tenant), done.Restored)
		if err != nil {
			return mapError("forget", err)
		}
		var of, scope string
		if _, err := pgx.ForEachRow(rows, []any{&of, &scope}, func() error {
			id := f.NewID(memory.PrefixEvent)
			events = append(events, change.Event{ID: id, Subject: event.SubjectMemoryRecorded, Message: &winnowv1.MemoryRecorded{
				Id: id, MemoryId: of, Scope: scope, DecisionId: f.Run, RecordedAt: now,
			}})
			return nil
		}); err != nil {
			return mapError("forget", err)
		}
	}
	if len(events) == 0 {
		return nil
	}
	out, err := encodeEvents(&encoder{}, tenant, events)
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	b := &pgx.Batch{}
	(&writer{tenant: tenant}).events(b, out)
	return mapError("forget", tx.SendBatch(ctx, b).Close())
}

// asOperator maps an error of the operator's connections; a login without the right gets a
// remedy.
func asOperator(what string, err error) error {
	if denied(err) {
		return fmt.Errorf("%s: %w; set postgres.operator_url to a member of winnow_operator: %w", what, store.ErrNotOperator, err)
	}
	return mapError(what, err)
}
