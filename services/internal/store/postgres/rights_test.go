package postgres_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// What [TestGrants] does not see, since it asks for statements on tables: attributes of roles,
// memberships, policies, rights to hand on, rights on sequences, schemas, settings and the
// database, and those that a table yet to come would be made with. No role has any of them
// but what stands here. Issue 14, item 4; SPEC §3.
func TestRolesHaveNothingElse(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	roles := []string{access.App, access.Relay, "winnow_operator", "winnow_worker", "winnow_bound"}
	for _, w := range access.Workers() {
		roles = append(roles, access.Role(w))
	}
	// Roles of other tests' databases are on the same server; ours are named here.
	rows, err := pool.Query(t.Context(), `
with ours as (select oid, rolname, rolname::text as name from pg_roles where rolname = any ($1::text[]) union all select 0, 'public', 'public'),
acls (what, acl) as (
	select 'table ' || relname, relacl from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
	union all select 'column ' || c.relname || '.' || a.attname, a.attacl from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace
	union all select 'sequence ' || relname, relacl from pg_class where relkind = 'S'
	union all select 'schema ' || nspname, nspacl from pg_namespace where nspname not in ('pg_catalog', 'information_schema')
	union all select 'function ' || proname, proacl from pg_proc where pronamespace = 'public'::regnamespace
	union all select 'elsewhere ' || relname, relacl from pg_class where relnamespace not in ('public'::regnamespace, 'pg_catalog'::regnamespace, 'information_schema'::regnamespace)
	union all select 'default', defaclacl from pg_default_acl
	union all select 'database', datacl from pg_database where datname = current_database()
	union all select 'language ' || lanname, lanacl from pg_language where lanname <> 'internal'
	union all select 'wrapper', fdwacl from pg_foreign_data_wrapper)
select distinct regexp_replace(split_part(what, ' ', 1) || ' ' || case when what like 'schema %' then split_part(what, ' ', 2) else '' end, ' $', '')
	|| ': ' || o.name || ' ' || lower(x.privilege_type) || case when x.is_grantable then ' to hand on' else '' end
from acls, lateral aclexplode(acl) x join ours o on o.oid = x.grantee
where x.is_grantable or not (what ~ '^(table|column) ' and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE'))
	and not (what ~ '^function ' and x.privilege_type = 'EXECUTE')
union all
select 'role ' || rolname || ': ' || concat_ws(' ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
	case when rolcreatedb then 'createdb' end, case when rolbypassrls then 'bypassrls' end, case when rolreplication then 'replication' end,
	case when rolcanlogin then 'login' end)
from pg_roles where rolname = any ($1) and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication or rolcanlogin)
union all
select 'member: ' || m.rolname || ' of ' || g.rolname || case when a.admin_option then ' to hand on' else '' end
from pg_auth_members a join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member where m.rolname = any ($1)
union all
select 'policy ' || policyname || ' of ' || tablename || ': ' || lower(permissive) || ' ' || lower(cmd) || ' ' || array_to_string(array(select unnest(roles) order by 1), ',')
from pg_policies where policyname not in ('tenant', 'bound')
union all
select 'setting: ' || case when to_regclass('pg_catalog.pg_parameter_acl') is null then '0' else (xpath('//n/text()', query_to_xml('select count(*) as n from pg_catalog.pg_parameter_acl', true, true, '')))[1]::text end
order by 1`, roles)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"setting: 0",
		"member: winnow_api of winnow_worker",
		"member: winnow_consolidate of winnow_worker",
		"member: winnow_digest of winnow_worker",
		"member: winnow_distill of winnow_worker",
		"member: winnow_index of winnow_worker",
		"member: winnow_ingest of winnow_worker",
		"member: winnow_learn of winnow_worker",
		"member: winnow_operator of winnow_app",
		"member: winnow_triage of winnow_worker",
		"policy decided of memories: restrictive insert winnow_worker",
		"policy directory of api_keys: permissive select winnow_owner",
		"policy directory of principals: permissive select winnow_owner",
		"policy directory of scope_links: permissive select winnow_owner",
		"policy directory of tenant_logins: permissive select winnow_owner",
		"policy directory of tenants: permissive select winnow_owner",
		"policy relay_select of outbox: permissive select winnow_relay",
		"policy relay_update of outbox: permissive update winnow_relay",
		"schema public: public usage",
		"schema public: winnow_app usage",
		"schema public: winnow_relay usage",
		"schema public: winnow_worker usage",
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not expected: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
}
