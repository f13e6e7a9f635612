package postgres_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Reads of a batch or of a person's question must use an index for any size of the
// tables; the pools use generic plans.
func TestPlansUseIndexes(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{
		`insert into decisions select 'default', 'dec_' || n, 'project:a', 'prop_' || n, 'rejected', 'dup.exact', '{}', '', '',
			'mem_' || n, '', 'standard', 'v1', 'lex-1', '{}', '[]', '{}', 'agent', 'triage', 2, '', now()
			from generate_series(1, 2000) n`,
		`insert into decisions select 'default', 'dec_old_' || n, 'project:a', '', 'rejected', 'dup.exact', '{}', '', '', '',
			'', 'standard', 'v1', 'lex-1', '{}', '[]', '{}', 'agent', 'triage', 2, '', now() - n * interval '1 minute'
			from generate_series(1, 2000) n`,
		"analyze decisions",
		`insert into model_calls (tenant, key, purpose, model, prompt, subject, begun_at, day, expected, tokens)
			select 'default', 'key_' || n, 'distill', 'small', '', '', now() + n * interval '1 second', now(), 1, 1
			from generate_series(1, 20000) n`,
		"analyze model_calls",
		`insert into sessions select 'default', 'sess_' || n, 'project:a', 'run_' || n, '', 'agent', 2, '', '', '', '', '', '', '',
			false, '', null, null, now(), 'hash_' || n, 1, 0, 0, 0, 1, 'ingested', null, '', '', 0, 0, '' from generate_series(1, 2000) n`,
		"analyze sessions",
		"set plan_cache_mode = force_generic_plan",
		"set enable_seqscan = off",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for index, query := range map[string]string{
		"proposals_lane": `select * from unnest($1::text[], $2::int8[]) as l (scope, since) cross join lateral (
			select * from proposals where tenant = $3 and lane and scope = l.scope and version > l.since) p`,
		"memories_lane": `select * from unnest($1::text[], $2::int8[]) as l (scope, since) cross join lateral (
			select * from memories where tenant = $3 and scope = l.scope and version > l.since) m`,
		"memories_text": `select * from unnest($3::bytea[]) as r (hash) cross join lateral (
			select * from memories where tenant = $1 and scope = $2 and text_hash >= r.hash and text_hash <= r.hash
				and text_hash is not null and state = 'active' order by text_hash limit $4) m`,
		"proposals_text": `select * from unnest($3::bytea[]) as r (hash) cross join lateral (
			select * from proposals where tenant = $1 and scope = $2 and text_hash >= r.hash and text_hash <= r.hash
				and text_hash is not null and lane order by text_hash limit $4) p`,
		"proposals_event":    `select * from proposals where tenant = $1 and event_id = $2`,
		"decisions_proposal": `select * from decisions where tenant = $1 and proposal_id = $2`,
		"decisions_target": `select * from decisions d where tenant = $1
			and (d.memory_id = $2 and d.memory_id <> '' or d.target = $2 and d.target <> '')`,
		"decisions_age": `select scope, count(*) from decisions where tenant = $1
			and decided_at > coalesce($2, '-infinity'::timestamptz) and decided_at <= coalesce($3, 'infinity'::timestamptz)
			group by scope`,
		"digests_code":          `select * from digests where tenant = $1 and code = $2 order by created_at desc, id desc limit 1`,
		"digest_replies_digest": `select * from digest_replies where tenant = $1 and digest_id = $2 order by replied_at, id`,
		"schedule_runs_pkey":    `select max(slot) from schedule_runs where tenant = $1 and schedule = $2`,
		"outbox_waiting":        `select * from outbox where published_at is null order by id limit $1`,
		"proposals_session":     `select * from proposals p where tenant = $1 and session_id = $2 and session_id <> '' order by id limit 100`,
		"sessions_pkey":         `select * from sessions where tenant = $1 and scope = $2 order by id desc limit 100`,
		"sessions_name":         `select * from sessions where tenant = $1 and name = $2 order by id desc limit 100`,
		"sessions_hash":         `select * from sessions where tenant = $1 and scope = $2 and hash = $3 order by id desc limit 100`,
		"session_traces_pkey":   `select chunk from session_traces where tenant = $1 and session_id = $2 order by n`,
		"model_calls_age":       `select count(*), sum(tokens) from model_calls where tenant = $1 and begun_at >= $2`,
		"runs_open":             `select * from runs r where tenant = $1 and state = any ($2) and r.state in ('requested', 'running') order by id limit 100`,
		"runs_last": `select r.ended_at from runs r where r.tenant = $1 and r.scope = $2 and r.strategy = $3
			and r.state in ('completed', 'partial', 'undone') and not r.dry_run and r.ended_at is not null order by r.ended_at desc limit 1`,
		"run_items_pkey":   `select state, count(*) from run_items where tenant = $1 and run_id = $2 group by state`,
		"run_members_pkey": `select distinct run_id, n from run_members where tenant = $1 and memory_id = any ($2)`,
		"memories_eroded": `select count(*) from memories m where m.tenant = $1 and m.scope = $2 and m.state = 'archived'
			and m.successor_id = '' and m.archived_at > coalesce($3, '-infinity'::timestamptz)
			and split_part(m.archive_reason, ':', 1) = any ($4)`,
		"audit_events_subject": `select * from audit_events where tenant = $1 and subject = $2`,
	} {
		if _, err := conn.Exec(t.Context(), "prepare "+index+" as "+query); err != nil {
			t.Fatalf("%s: %v", index, err)
		}
		arguments := strings.TrimSuffix(strings.Repeat("null,", highestParameter(query)), ",")
		rows, err := conn.Query(t.Context(), "explain execute "+index+"("+arguments+")")
		if err != nil {
			t.Fatalf("%s: %v", index, err)
		}
		var plan []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, line)
		}
		if text := strings.Join(plan, "\n"); rows.Err() != nil || !strings.Contains(text, index) {
			t.Errorf("%s is not used, %v:\n%s", index, rows.Err(), text)
		}
	}
}

// highestParameter returns the number of parameters of the statement, at most nine.
func highestParameter(query string) int {
	highest := 0
	for i := 1; i <= 9; i++ {
		if strings.Contains(query, "$"+string(rune('0'+i))) {
			highest = i
		}
	}
	return highest
}
