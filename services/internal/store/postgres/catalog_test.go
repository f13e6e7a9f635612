package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// SPEC §3: every table names its tenant in its key and its foreign keys, is
// under forced row security with a policy for both directions, and belongs to a
// role that the application is not.
func TestCatalogKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	rows, err := pool.Query(t.Context(), `
		select c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner::regrole::text,
			exists (select from pg_constraint k join pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)
				where k.conrelid = c.oid and k.contype = 'p' and a.attname = 'tenant'),
			not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'
				and not exists (select from pg_attribute a
					where a.attrelid = c.oid and a.attnum = any (k.conkey) and a.attname = 'tenant')),
			exists (select from pg_policies p where p.tablename = c.relname and p.policyname = 'tenant'
				and p.cmd = 'ALL' and p.permissive = 'PERMISSIVE' and 'winnow_app' = any (p.roles)
				and 'winnow_worker' = any (p.roles)
				and p.qual like '%SELECT winnow_tenant()%' and p.with_check = p.qual)
			and exists (select from pg_policies p where p.tablename = c.relname and p.policyname = 'bound'
				and p.cmd = 'ALL' and p.permissive = 'RESTRICTIVE' and 'winnow_bound' = any (p.roles) and p.with_check = p.qual)
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	var table, owner string
	var enabled, forced, inKey, inForeignKeys, policy bool
	tables := 0
	_, err = pgx.ForEachRow(rows, []any{&table, &enabled, &forced, &owner, &inKey, &inForeignKeys, &policy}, func() error {
		tables++
		if !enabled || !forced || owner != "winnow_owner" || !inKey || !inForeignKeys || !policy {
			t.Errorf("%s: enabled %v, forced %v, owner %s, tenant in key %v, in foreign keys %v, policy %v",
				table, enabled, forced, owner, inKey, inForeignKeys, policy)
		}
		return nil
	})
	if err != nil || tables < 30 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

// Functions that run with their owner's rights pin their search path and are not
// executable by public.
func TestDefinerFunctionsAreClosed(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	var open []string
	err := pool.QueryRow(t.Context(), `
		select coalesce(array_agg(p.proname::text), '{}') from pg_proc p
		where p.pronamespace = 'public'::regnamespace and p.prosecdef
			and (p.proconfig is null or not 'search_path=pg_catalog, public, pg_temp' = any (p.proconfig)
				or has_function_privilege('public', p.oid, 'execute'))`).Scan(&open)
	if err != nil || len(open) > 0 {
		t.Errorf("open functions %v, %v", open, err)
	}
}

// Forbidden statements of the roles fail when they run.
func TestRolesAreRefused(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	const denied, noTenant = "42501", "WN002"
	for _, c := range []struct{ role, statement, code string }{
		{"winnow_app", "update audit_events set action = 'x'", denied},
		{"winnow_app", "delete from audit_events", denied},
		{"winnow_app", "update audit_bodies set body = '{}'", denied},
		{"winnow_app", "delete from audit_bodies", denied},
		{"winnow_app", "update audit_links set n = 0", denied},
		{"winnow_app", "insert into audit_links select * from audit_links", denied},
		{"winnow_app", "update audit_heads set seq = 0", denied},
		{"winnow_app", "delete from memories", denied}, // D9
		{"winnow_app", "update memories set body = 'x'", denied},
		{"winnow_app", "update proposals set body = 'x'", denied},
		{"winnow_app", "update decisions set rule = 'x'", denied},
		{"winnow_app", "delete from inbox", denied},
		{"winnow_app", "select * from outbox", denied},
		{"winnow_app", "select hash from winnow_principal('agent', null)", "42703"},
		{"winnow_app", "update digests set body = 'x'", denied},
		{"winnow_app", "delete from digests", denied},
		{"winnow_app", "update digest_replies set applied = true", denied},
		{"winnow_app", "delete from digest_replies", denied},
		{"winnow_app", "update reviewers set principal = 'x'", denied},
		{"winnow_app", "delete from schedule_runs", denied},
		{"winnow_app", "update sessions set task = 'x'", denied},
		{"winnow_app", "delete from sessions", denied},
		{"winnow_app", "update session_traces set chunk = 'x'", denied},
		{"winnow_app", "delete from session_traces", denied},
		{"winnow_app", "update model_calls set expected = 0", denied},
		{"winnow_app", "delete from model_days", denied},
		{"winnow_app", "select winnow_sweep_traces(null)", denied},
		{"winnow_app", "update runs set scope = 'x'", denied},
		{"winnow_app", "update runs set principal = 'x'", denied},
		{"winnow_app", "delete from runs", denied},
		{"winnow_app", "update signals set positive = true", denied},
		{"winnow_app", "delete from learned", denied},
		{"winnow_app", "update served set principal = 'x'", denied},
		{"winnow_app", "update run_items set action = 'merge'", denied},
		{"winnow_app", "delete from run_items", denied},
		{"winnow_app", "update workflows set name = 'x'", denied},
		{"winnow_app", "delete from workflows", denied},
		{"winnow_app", "delete from run_members", denied},
		// Issue 14, item 4: whoever takes over a worker raises no principal and erases no
		// body of the audit log.
		{"winnow_app", "update principals set highest = 4", denied},
		{"winnow_app", "update principals set name = 'x'", denied},
		{"winnow_app", "update principals set speaks_for = '{*}'", denied},
		{"winnow_app", "insert into principals (tenant, id, highest) values ('default', 'mine', 4)", denied},
		{"winnow_app", "select winnow_audit_erase('x')", denied},
		{"winnow_app", "select winnow_forget('{}', '{gone}', 'x', 'run_x')", denied},
		{"winnow_relay", "update principals set highest = 4", denied},
		{"winnow_relay", "select winnow_audit_erase('x')", denied},
		{"winnow_relay", "select winnow_forget('{}', '{gone}', 'x', 'run_x')", denied},
		{"winnow_operator", "delete from principals", denied},
		{"winnow_operator", "delete from audit_bodies", denied},
		{"winnow_operator", "delete from memories", denied},
		{"winnow_operator", "select winnow_sweep(null, null, null)", denied},
		{"winnow_app", "update api_keys set hash = ''", denied},
		{"winnow_app", "update api_keys set expires_at = null", denied},
		{"winnow_app", "delete from api_keys", denied},
		{"winnow_app", "select winnow_sweep_runs(null)", denied},
		{"winnow_app", "select winnow_sweep(null, null, null)", denied},
		{"winnow_app", "select winnow_sweep_research(null)", denied},
		{"winnow_app", "alter table memories disable row level security", denied},
		{"winnow_app", "create table mine (x int)", denied},
		{"winnow_relay", "select * from memories", denied},
		{"winnow_relay", "select * from digests", denied},
		{"winnow_relay", "select * from session_traces", denied},
		{"winnow_relay", "select * from model_calls", denied},
		{"winnow_relay", "select * from runs", denied},
		{"winnow_relay", "select winnow_tenants()", denied},
		{"winnow_relay", "delete from outbox", denied},
		{"winnow_relay", "update outbox set data = ''", denied},
		{"winnow_relay", "insert into outbox (tenant, event_id, subject, header, data) values ('default', '', '', '{}', '')", denied},
		{"winnow_relay", "select winnow_audit_append(gen_random_uuid(), 1, '')", denied},
		// A query without a tenant is an error and not an empty result.
		{"winnow_app", "select * from memories", noTenant},
		{"winnow_app", "select * from digests", noTenant},
		{"winnow_app", "select * from digest_replies", noTenant},
		{"winnow_app", "select * from reviewers", noTenant},
		{"winnow_app", "select * from sessions", noTenant},
		{"winnow_app", "select * from session_traces", noTenant},
		{"winnow_app", "select * from model_calls", noTenant},
		{"winnow_app", "select * from model_days", noTenant},
		{"winnow_app", "select * from runs", noTenant},
		{"winnow_app", "select * from run_items", noTenant},
		{"winnow_app", "select * from workflows", noTenant},
		{"winnow_app", "select * from scope_links", noTenant},
		{"winnow_app", "select * from run_members", noTenant},
		{"winnow_app", "insert into scopes (tenant, id) values ('default', 'project:x')", noTenant},
		{"winnow_owner", "select * from memories", noTenant},
		{"winnow_app", "select set_config('winnow.tenant', 'default', true); insert into scopes (tenant, id) values ('_system', 'project:x')", denied},
	} {
		if got := refusal(t, pool, c.role, c.statement); got != c.code {
			t.Errorf("%s: %s: SQLSTATE %q, want %s", c.role, c.statement, got, c.code)
		}
	}
}

// refusal runs the statement as the role and returns its SQLSTATE.
func refusal(t *testing.T, pool *pgxpool.Pool, role, statement string) string {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	script := "begin; set local role " + role + "; " + strings.TrimSuffix(statement, ";")
	_, err = conn.Conn().PgConn().Exec(t.Context(), script).ReadAll()
	if _, end := conn.Exec(t.Context(), "rollback"); end != nil {
		t.Fatal(end)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
