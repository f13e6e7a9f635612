package postgres

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A call begins under the lock of its day's row. A concurrent transaction that
// begins any call of the day waits for this one and then sees its rows. Each
// statement has a snapshot of its own, so the statements after the lock see
// everything that was committed before the lock was granted.
const (
	createDay = `
insert into model_days (tenant, day) values ($1, $2) on conflict do nothing`

	lockDay = `
select from model_days where tenant = $1 and day = $2 for update`

	beginCall = `
with fresh as (
	insert into model_calls (tenant, key, purpose, model, prompt, subject, begun_at, day, expected, tokens)
	select $1, $3, $4, $5, $6, $7, $8, $2, $9, $9 from model_days d
	where d.tenant = $1 and d.day = $2 and ($10::int8 = 0 or d.tokens + $9::int4 <= $10)
	on conflict do nothing
	returning tokens)
update model_days d set calls = d.calls + 1, tokens = d.tokens + fresh.tokens
from fresh where d.tenant = $1 and d.day = $2`

	selectCall = `
select key, purpose, model, prompt, subject, begun_at, expected, answered_at, answer, stop, input_tokens, output_tokens
from model_calls where tenant = $1 and key = $2`

	// Locks the day before the call, as the start of a call does. In the opposite
	// order the two transactions could deadlock.
	lockDayOfCall = `
select from model_days where tenant = $1
	and day = (select day from model_calls where tenant = $1 and key = $2) for update`

	// Without token counts from the server, the expected tokens stay.
	finishCall = `
with before as (
	select day, tokens from model_calls where tenant = $1 and key = $2 and answered_at is null
), done as (
	update model_calls c set answered_at = $3, answer = $4, stop = $5, input_tokens = $6, output_tokens = $7,
		tokens = case when $6::int4 + $7::int4 > 0 then $6 + $7 else c.tokens end
	from before where c.tenant = $1 and c.key = $2
	returning c.day, c.tokens - before.tokens as more)
update model_days d set tokens = d.tokens + done.more from done where d.tenant = $1 and d.day = done.day`

	selectSpent = `
select count(*), coalesce(sum(tokens), 0)::int8 from model_calls where tenant = $1 and begun_at >= $2`
)

func scanCall(row pgx.CollectableRow) (c store.ModelCall, err error) {
	err = row.Scan(&c.Key, &c.Purpose, &c.Model, &c.Prompt, &c.Subject, nullable(&c.At), &c.Expected,
		nullable(&c.AnsweredAt), &c.Answer, &c.Stop, &c.InputTokens, &c.OutputTokens)
	return c, err
}

// BeginCall implements [store.Calls], in one round trip.
func (s *Store) BeginCall(ctx context.Context, tenant memory.Tenant, call store.ModelCall, perDay int) (store.ModelCall, error) {
	const op = "begin model call"
	if call.At.IsZero() || call.Expected < 0 || call.Expected > math.MaxInt32 || perDay < 0 {
		return store.ModelCall{}, fmt.Errorf("%s: %w: a time, and tokens of at least 0, are needed", op, store.ErrInvalid)
	}
	owner, day := string(tenant), call.At.UTC().Format(time.DateOnly)
	var known []store.ModelCall
	tx, err := s.begin(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(createDay, owner, day)
		b.Queue(lockDay, owner, day)
		b.Queue(beginCall, owner, day, call.Key, call.Purpose, call.Model, call.Prompt, call.Subject,
			stamp(call.At), int32(call.Expected), int64(perDay))
		b.Queue(selectCall, owner, call.Key).Query(func(rows pgx.Rows) (err error) {
			known, err = pgx.CollectRows(rows, scanCall)
			return err
		})
		b.Queue("commit")
	})
	if err != nil {
		return store.ModelCall{}, mapError(op, err)
	}
	tx.end()
	if len(known) == 0 { // no earlier call has the key, and the budget refused this one
		return store.ModelCall{}, fmt.Errorf("%s: %w", op, store.ErrBudget)
	}
	return known[0], nil
}

// FinishCall implements [store.Calls]. The error is ErrNotFound for a call that
// was not begun.
func (s *Store) FinishCall(ctx context.Context, tenant memory.Tenant, call store.ModelCall) error {
	const op = "finish model call"
	if call.AnsweredAt.IsZero() || min(call.InputTokens, call.OutputTokens) < 0 ||
		call.InputTokens > math.MaxInt32-call.OutputTokens {
		return fmt.Errorf("%s: %w: a time, and tokens of at least 0, are needed", op, store.ErrInvalid)
	}
	var begun []store.ModelCall
	tx, err := s.begin(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(lockDayOfCall, string(tenant), call.Key)
		b.Queue(finishCall, string(tenant), call.Key, stamp(call.AnsweredAt), call.Answer, call.Stop,
			int32(call.InputTokens), int32(call.OutputTokens))
		b.Queue(selectCall, string(tenant), call.Key).Query(func(rows pgx.Rows) (err error) {
			begun, err = pgx.CollectRows(rows, scanCall)
			return err
		})
		b.Queue("commit")
	})
	if err != nil {
		return mapError(op, err)
	}
	tx.end()
	if len(begun) == 0 {
		return fmt.Errorf("%s: %w: %s", op, store.ErrNotFound, call.Key)
	}
	return nil
}

// Spent implements [store.Calls].
func (s *Store) Spent(ctx context.Context, tenant memory.Tenant, since time.Time) (calls, tokens int, err error) {
	err = s.read(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(selectSpent, string(tenant), since).QueryRow(func(row pgx.Row) error {
			return row.Scan(&calls, &tokens)
		})
	})
	return calls, tokens, mapError("read what models cost", err)
}
