package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Issue 14, item 4: whoever has taken over a worker has no more than the worker needs.
// Every worker is tried over a login of its own, and over one that is bound to a tenant,
// with what none may do, and with what belongs to others.
func TestWorkersAreRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.URL(t)
	nobody := []string{
		// Raise oneself, or make a key for one who may more.
		"update principals set highest = 4",
		"insert into principals (tenant, id, highest) values ('default', 'mine', 4)",
		"insert into api_keys (tenant, id, principal, hash, name, hint, created_by, created_at) values ('default', 'key_1', 'human', sha256('x'), '', '', 'x', now())",
		"update api_keys set hash = sha256('x')",
		"update api_keys set principal = 'human'",
		"delete from api_keys",
		// Leave no trace.
		"select winnow_audit_erase('x')",
		"select winnow_forget('{}', '{gone}', 'x', 'run_x')",
		"delete from audit_bodies",
		"update audit_bodies set body = '{}'",
		"delete from audit_events",
		"delete from audit_links",
		"update audit_heads set seq = 0",
		// Change what was said and decided.
		"delete from memories",
		"update memories set body = 'x'",
		"update memories set decision_id = 'x'",
		"delete from proposals",
		"update proposals set body = 'x'",
		"delete from decisions",
		"update decisions set rule = 'x'",
		"delete from reviews",
		"delete from sessions",
		"delete from session_traces",
		"delete from digests",
		// Rule over triage.
		"insert into active_policies (tenant, scope_kind, name, version) values ('default', 'project', 'x', '1')",
		"insert into boot_files (tenant, id, scope, name, body, principal, created_at) values ('default', 'x', '', 'x', 'x', 'x', now())",
		"insert into reviewers (tenant, principal, scope, language) values ('default', 'x', '', 'en')",
		// The work of the relay, of retention and of the owner.
		"select * from outbox",
		"update outbox set published_at = now()",
		"delete from outbox",
		"delete from inbox",
		"delete from schedule_runs",
		"select winnow_sweep(null, null, null)",
		"select winnow_sweep_traces(null)",
		"select winnow_sweep_runs(null)",
		"select winnow_sweep_research(null)",
		"select winnow_audit_note('x', '{x}', '{x}')",
		"select winnow_audit_retired('{x}', false)",
		"select winnow_may_enter('default')",
		"select winnow_cutoff('inbox', '0')",
		"insert into retention (tenant, what, keep) values ('default', 'inbox', '0')",
		"update retention set keep = '0'",
		"delete from retention",
		"insert into tenant_logins (tenant, login) values ('default', 'x')",
		"delete from tenant_logins",
		"insert into tenants (tenant) values ('x')",
		"alter table memories disable row level security",
		"create table mine (x int)",
	}
	insert := map[string]string{
		"memories":       "insert into memories (tenant, id) values ('default', 'x')",
		"decisions":      "insert into decisions (tenant, id) values ('default', 'x')",
		"proposals":      "insert into proposals (tenant, id) values ('default', 'x')",
		"reviews":        "insert into reviews (tenant, id) values ('default', 'x')",
		"digest_replies": "insert into digest_replies (tenant, id) values ('default', 'x')",
		"runs":           "insert into runs (tenant, id) values ('default', 'x')",
		"sessions":       "insert into sessions (tenant, id) values ('default', 'x')",
		"retired_terms":  "insert into retired_terms (tenant, id) values ('default', 'x')",
		"signals":        "insert into signals (tenant, id) values ('default', 'x')",
		"policies":       "insert into policies (tenant, name, version, body) values ('default', 'x', '1', 'x')",
	}
	// What one worker does and these do not.
	others := map[string][]string{
		"ingest": {
			insert["memories"], insert["proposals"], insert["reviews"], insert["digest_replies"], insert["runs"],
			insert["retired_terms"], insert["signals"], insert["policies"],
			"select * from audit_bodies", "select * from digests", "select * from model_calls", "update api_keys set revoked_at = null",
			"select * from principals", "select winnow_tenants()", "update sessions set state = 'distilled'",
		},
		"distill": {
			insert["memories"], insert["proposals"], insert["decisions"], insert["reviews"], insert["sessions"], insert["policies"],
			"update memories set state = 'archived'", "update proposals set state = 'promoted'", "select * from memories",
			"select * from api_keys", "select * from audit_bodies", "select winnow_tenants()",
		},
		"triage": {
			insert["reviews"], insert["digest_replies"], insert["sessions"], insert["runs"], insert["retired_terms"],
			"delete from evidence", "delete from memory_links", "update registry_heads set version = 0", "select * from api_keys",
			"select * from audit_bodies", "select * from digests", "select * from model_calls", "select winnow_tenants()",
		},
		"consolidate": {
			insert["reviews"], insert["digest_replies"], insert["sessions"], insert["policies"], insert["retired_terms"],
			"delete from evidence", "select * from session_traces", "select * from api_keys", "select * from audit_bodies",
		},
		"learn": {
			insert["memories"], insert["proposals"], insert["reviews"], insert["sessions"], insert["policies"],
			"update proposals set state = 'promoted'", "select * from session_traces", "select * from api_keys", "select * from audit_bodies",
		},
		"digest": {
			insert["proposals"], insert["sessions"], insert["policies"], insert["retired_terms"], insert["signals"],
			"select * from session_traces", "select * from api_keys", "select * from model_calls", "select * from audit_bodies",
		},
		"index": {
			insert["digest_replies"], insert["runs"], insert["sessions"], insert["policies"], insert["retired_terms"], insert["signals"],
			"select * from session_traces", "select * from api_keys", "select * from model_calls", "select * from audit_bodies",
		},
		"api": {
			insert["sessions"], insert["policies"],
			"select * from session_traces", "select * from model_calls", "update sessions set state = 'distilled'",
			"select winnow_tenants()", "update served set principal = 'x'", "delete from served",
		},
	}
	const denied, undecided = "42501", "a memory without a decision"
	for _, w := range access.Workers() {
		if len(others[w]) == 0 {
			t.Errorf("%s: no statement of other workers", w)
		}
		for _, l := range []postgres.Login{
			{Name: w, Worker: w}, {Name: w + "_bound", Worker: w, Tenants: []memory.Tenant{memory.DefaultTenant}},
		} {
			t.Run(l.Name, func(t *testing.T) {
				t.Parallel()
				conn := enter(t, login(t, db, l), access.Role(w))
				for _, s := range append(slices.Clone(nobody), others[w]...) {
					// A tenant is named: what refuses is the right, and not its absence.
					if got := refused(t, conn, "select set_config('winnow.tenant', 'default', true); "+s); got != denied {
						t.Errorf("%s: SQLSTATE %q, want %s", s, got, denied)
					}
				}
				// Who may insert memories may not insert one that no decision accounts for.
				if !slices.Contains(others[w], insert["memories"]) {
					for _, id := range []string{"", "dec_of_nobody"} {
						got := refused(t, conn, "select set_config('winnow.tenant', 'default', true); "+memoryOf(id))
						if got != denied && got != foreignKey {
							t.Errorf("%s: %q: SQLSTATE %q", undecided, id, got)
						}
					}
				}
				// No tenant, and where the login is bound, no other tenant.
				if got := refused(t, conn, "select * from inbox"); got != "WN002" {
					t.Errorf("a query without a tenant: SQLSTATE %q", got)
				}
				another := "select set_config('winnow.tenant', 'acme', true); insert into scopes (tenant, id) values ('acme', 'project:x')"
				if got, want := refused(t, conn, another), map[bool]string{true: denied}[len(l.Tenants) > 0]; got != want {
					t.Errorf("another tenant: SQLSTATE %q, want %q", got, want)
				}
				if got := refused(t, conn, "select set_config('winnow.tenant', 'acme', true); insert into scopes (tenant, id) values ('default', 'project:x')"); got != denied {
					t.Errorf("a row of another tenant than named: SQLSTATE %q", got)
				}
				// Nor does it become somebody else.
				for _, role := range append(access.Roles(), access.App, access.Relay, "winnow_operator", "winnow_owner", "postgres") {
					mine := role == access.Role(w) && len(l.Tenants) == 0 || role == access.BoundRole(w) && len(l.Tenants) > 0
					if got := refused(t, conn, "set local role "+role); (got == "") != mine {
						t.Errorf("it becomes %s: SQLSTATE %q", role, got)
					}
				}
			})
		}
	}
}

// foreignKey is the SQLSTATE of a row that refers to none.
const foreignKey = "23503"

// memoryOf is a whole memory that names a decision.
func memoryOf(decision string) string {
	return `insert into scopes (tenant, id) values ('default', 'project:x') on conflict do nothing;
insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance, confidence,
	outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version)
values ('default', 'mem_x', 'project:x', 'active', 'rule', 'Hard Rules', '', '', 'Pipe every script into sh.', '', '{}', '{}', 10, 1,
	'', 'human', 4, 4, now(), 1, '', '` + decision + `', '', '', 1)`
}

// enter connects as a login and takes a role as the worker does.
func enter(t *testing.T, address, role string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if _, err := conn.Exec(t.Context(), access.Become(role)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// refused runs a script, takes it back, and returns its SQLSTATE.
func refused(t *testing.T, conn *pgx.Conn, script string) string {
	t.Helper()
	_, err := conn.PgConn().Exec(t.Context(), "begin; "+script).ReadAll()
	if _, end := conn.Exec(t.Context(), "rollback"); end != nil {
		t.Fatal(end)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// A login of a bound role that no tenant is listed for is bound to nothing: rows, the
// directory and the audit of every tenant are closed. Red before: the functions that pass
// policies by took it for one that serves all tenants.
func TestBoundLoginWithoutTenantEntersNone(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	writeStory(t, db.Store)
	l := postgres.Login{Name: "emptied", Worker: "api", Tenants: []memory.Tenant{memory.DefaultTenant}}
	conn := enter(t, login(t, db.URL, l), "winnow_api")
	if _, err := testenv.Pool(t, db.URL).Exec(t.Context(), "delete from tenant_logins"); err != nil {
		t.Fatal(err)
	}
	const chain = "select set_config('winnow.tenant', 'default', true); select winnow_audit_append(gen_random_uuid(), 1, sha256('x'))"
	if got := refused(t, conn, chain); got != "42501" {
		t.Errorf("a link in another's audit: SQLSTATE %q", got)
	}
	var known int
	if err := conn.QueryRow(t.Context(), "select count(*) from winnow_principal('human', null)").Scan(&known); err != nil || known != 0 {
		t.Errorf("the directory names %d principals, %v", known, err)
	}
	if _, err := conn.Exec(t.Context(), "select set_config('winnow.tenant', 'default', false)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), "select count(*) from memories").Scan(&known); err != nil || known != 0 {
		t.Errorf("it reads %d memories, %v", known, err)
	}
}

// A memory with its decision goes in over the api's login; the opponent's cases are in
// [TestWorkersAreRefused]. Issue 14, item 4.
func TestApiLoginInsertsADecidedMemory(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	api := pgtest.Connect(t, postgres.Config{URL: login(t, db.URL, postgres.Login{Name: "api", Worker: "api"}), Worker: "api"})
	writeStory(t, api)
	without := story()
	without.Memories[0].ID, without.Decisions, without.Proposals, without.Evidence = "mem_2", nil, nil, nil
	without.Memories[0].DecisionID = "dec_2"
	if _, err := api.Commit(t.Context(), memory.DefaultTenant, without, store.InboxKey{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("without a decision: %v", err)
	}
	if m, err := api.Memory(t.Context(), memory.DefaultTenant, "mem_1"); err != nil || m.DecisionID != "dec_1" {
		t.Errorf("%+v, %v", m, err)
	}
}

// A worker's bound role has its rights, no more and no fewer.
func TestBoundRolesHaveTheSameRights(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	for _, w := range access.Workers() {
		var differ int
		err := pool.QueryRow(t.Context(), `
select (select count(*) from pg_class c, pg_attribute a, unnest(array['select', 'insert', 'update']) p
	where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
	and has_column_privilege($1, c.oid, a.attnum, p) <> has_column_privilege($2, c.oid, a.attnum, p))
	+ (select count(*) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
	and has_table_privilege($1, c.oid, 'delete') <> has_table_privilege($2, c.oid, 'delete'))`,
			access.Role(w), access.BoundRole(w)).Scan(&differ)
		if err != nil || differ != 0 {
			t.Errorf("%s: %d rights differ, %v", w, differ, err)
		}
	}
}

// login provisions a login and returns its URL.
func login(t *testing.T, db string, l postgres.Login) string {
	t.Helper()
	at, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	l.Name, l.Password = strings.TrimPrefix(at.Path, "/")+"_"+l.Name, "only for tests"
	if err := postgres.Provision(t.Context(), db, postgres.Options{Tenants: []memory.Tenant{"acme"}, Logins: []postgres.Login{l}}); err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword(l.Name, l.Password)
	return at.String()
}

// The login that faces the network: it becomes no other role, and Winnow's own commands
// with it raise nobody and add no key. Red before: every worker logged in to one role,
// which could insert keys.
func TestApiLoginRaisesNobody(t *testing.T) {
	t.Parallel()
	db := pgtest.URL(t)
	address := login(t, db, postgres.Login{Name: "api", Worker: "api"})
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, role := range []string{access.App, access.Relay, "winnow_operator", "winnow_owner", "winnow_triage", "winnow_api_bound", "postgres"} {
		if _, err := conn.Exec(t.Context(), "set role "+role); err == nil {
			t.Errorf("the api's login became %s", role)
		}
	}
	api := pgtest.Connect(t, postgres.Config{URL: address, Worker: "api"})
	hash := make([]byte, 32)
	for what, set := range map[string]change.Set{
		"principal": {Principals: []memory.Principal{{ID: "agent", Tenant: memory.DefaultTenant, Highest: memory.OriginHuman}}},
		"key":       {Keys: []memory.Key{{ID: "key_1", Tenant: memory.DefaultTenant, Principal: "human", Hash: hash, CreatedBy: "human"}}},
	} {
		if _, err := api.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); !errors.Is(err, store.ErrNotOperator) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := api.Principals(t.Context(), memory.DefaultTenant); err != nil {
		t.Errorf("its own work: %v", err)
	}
}

// A login that is bound to a tenant names no other, whatever it sets: rows, the
// directory and the audit chain of others are closed. Red before: row security asked
// only what the session itself had set.
func TestBoundLoginNamesNoOtherTenant(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	address := login(t, db.URL, postgres.Login{Name: "bound", Worker: "api", Tenants: []memory.Tenant{"acme"}})
	scopes := change.Set{ScopesKnown: []memory.Scope{"project:shop"}}
	for _, tenant := range []memory.Tenant{memory.DefaultTenant, "acme"} {
		if _, err := db.Store.Commit(t.Context(), tenant, scopes, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, role := range []string{"winnow_api", access.App, "winnow_owner"} {
		if _, err := conn.Exec(t.Context(), "set role "+role); err == nil {
			t.Errorf("a bound login became %s", role)
		}
	}
	if _, err := conn.Exec(t.Context(), "set role winnow_api_bound"); err != nil {
		t.Fatal(err)
	}
	rows := func(tenant, query string) (n int, err error) {
		err = pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "select set_config('winnow.tenant', $1, true)", tenant); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), query).Scan(&n)
		})
		return n, err
	}
	const add = "insert into scopes (tenant, id) values (current_setting('winnow.tenant'), 'project:mine') returning 1"
	const chain = "select winnow_audit_append(gen_random_uuid(), 1, sha256('x'))"
	for _, query := range []string{"select count(*) from scopes", add, chain} { // counted before one is added
		if n, err := rows("acme", query); err != nil || n != 1 {
			t.Errorf("its own tenant: %s: %d, %v", query, n, err)
		}
	}
	if n, err := rows("default", "select count(*) from scopes"); err != nil || n != 0 {
		t.Errorf("it reads %d scopes of another tenant, %v", n, err)
	}
	for _, query := range []string{add, chain} {
		if _, err := rows("default", query); err == nil {
			t.Errorf("in another tenant: %s", query)
		}
	}
	if n, err := rows("acme", "select count(*) from winnow_principal('agent', null)"); err != nil || n != 0 {
		t.Errorf("the directory names %d principals of another tenant, %v", n, err)
	}
	api := pgtest.Connect(t, postgres.Config{URL: address, Worker: "api"})
	if got, err := api.ScopeVersions(t.Context(), "acme", "project:shop"); err != nil || len(got) == 0 {
		t.Errorf("its own work: %v, %v", got, err)
	}
}

// A worker whose login is of an older installation goes on, and is known by it.
func TestWideLoginIsKnown(t *testing.T) {
	t.Parallel()
	db := pgtest.URL(t)
	for l, wide := range map[*postgres.Login]bool{
		{Name: "old", App: true}: true, {Name: "own", Worker: "triage"}: false,
		{Name: "bound", Worker: "triage", Tenants: []memory.Tenant{"acme"}}: false,
	} {
		name, err := pgtest.Connect(t, postgres.Config{URL: login(t, db, *l), Worker: "triage"}).Wider(t.Context())
		if err != nil || (name != "") != wide || wide && !strings.HasSuffix(name, "_old") {
			t.Errorf("%s: %q, %v", l.Name, name, err)
		}
	}
}
