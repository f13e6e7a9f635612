package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// ran stores a completed run of one step that merged two memories, and sets
// variables to the ids of the run and of the new memory. A script's run is rows, so
// that it needs neither a model nor a threshold:
//
//	ran RUN PRODUCT mem_1 mem_2
func ran(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: ran VARIABLE VARIABLE memory memory")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, instance.Config.Postgres.URL)
	ts.Check(err)
	defer func() { _ = conn.Close(ctx) }()
	// The ids of what is made are those of the first source with another prefix.
	ulid := strings.TrimPrefix(args[2], "mem_")
	run, made, decision := "run_"+ulid, "mem_"+ulid[:25]+"M", "dec_"+ulid[:25]+"M"
	ts.Check(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, s := range []struct {
			statement string
			args      []any
		}{
			{"set local role winnow_app", nil},
			{"select set_config('winnow.tenant', 'default', true)", nil},
			{`insert into decisions select 'default', $1, scope, '', 'promoted', 'consolidate', '{consolidate}', '', 'they say the same', '', $2, '', '', '',
				'{}', '[]', '{}', '', 'system', authority, '', now(), version from memories where tenant = 'default' and id = $3`, []any{decision, made, args[2]}},
			{`insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance, confidence, outcome,
				principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version)
				select tenant, $1, scope, 'active', kind, section, 'Merged', '', (select string_agg(body, E'\n' order by id) from memories where tenant = 'default' and id in ($2, $3)),
				category, '{consolidated}', topics, importance, confidence, outcome, '', origin, authority, now(), 2, '', $4, '', '', version
				from memories where tenant = 'default' and id = $2`, []any{made, args[2], args[3], decision}},
			{`update memories set state = 'archived', archived_at = now(), archive_reason = 'consolidated', successor_id = $1
				where tenant = 'default' and id in ($2, $3)`, []any{made, args[2], args[3]}},
			{`insert into memory_links select 'default', $1, kind, source from unnest(array['consolidates', 'supersedes']) kind, unnest(array[$2, $3]) source`,
				[]any{made, args[2], args[3]}},
			{`insert into runs select tenant, $1, scope, 'similar', 'person', 'completed', '{}', false, null, null, 'local', now(), now(), null, now(),
				3, 1, 2, 0, 0, 0, 3, 2, false, '', '{}', 1 from memories where tenant = 'default' and id = $2`, []any{run, args[2]}},
			{`insert into run_items values ('default', $1, 1, 'merge', 'applied', array[$2, $3], $4, '', '', $5, now())`,
				[]any{run, args[2], args[3], made, `{"average_similarity":0.91,"min_similarity":0.88,"by":"concatenation","kept_verbatim":["port 7070"],
					"dropped":[{"sentence":"It is fast.","rule":"invented","detail":"no source says so"}]}`}},
			{`insert into run_members select 'default', id, $1, 1 from unnest(array[$2, $3, $4]) id`, []any{run, args[2], args[3], made}},
		} {
			if _, err := tx.Exec(ctx, s.statement, s.args...); err != nil {
				return err
			}
		}
		return nil
	}))
	ts.Setenv(args[0], run)
	ts.Setenv(args[1], made)
}
