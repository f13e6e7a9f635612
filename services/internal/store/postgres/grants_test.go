package postgres_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Every role, every table, every statement: what the database permits is what the table
// in testdata says, and nobody but the owner may run a function of the owner that is not
// listed there. A line may change only with its reason in the commit.
func TestGrants(t *testing.T) {
	t.Parallel()
	pool := testenv.Pool(t, pgtest.URL(t))
	roles := []string{access.App, access.Relay, "winnow_operator"}
	for _, w := range access.Workers() {
		roles = append(roles, access.Role(w))
	}
	rows, err := pool.Query(t.Context(), `
select r.role || ' ' || c.relname || ' ' || can.what
from unnest($1::text[]) as r (role), pg_class c, lateral (select
	concat_ws(' ',
		case when has_any_column_privilege(r.role, c.oid, 'select') then 'select' end,
		case when has_any_column_privilege(r.role, c.oid, 'insert') then 'insert' end,
		case when has_table_privilege(r.role, c.oid, 'update') then 'update'
			when has_any_column_privilege(r.role, c.oid, 'update') then 'update(' || (
				select string_agg(a.attname, ',' order by a.attname) from pg_attribute a
				where a.attrelid = c.oid and a.attnum > 0 and has_column_privilege(r.role, c.oid, a.attnum, 'update')) || ')' end,
		case when has_table_privilege(r.role, c.oid, 'delete') then 'delete' end,
		case when has_table_privilege(r.role, c.oid, 'truncate') then 'truncate' end)) as can (what)
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and can.what <> ''
union all
select r.role || ' ' || p.proname || '() execute'
from unnest($1::text[]) as r (role), pg_proc p
where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege(r.role, p.oid, 'execute')
order by 1`, roles)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "grants.txt")
	if os.Getenv("WINNOW_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range strings.Split(string(want), "\n") {
		known[line] = true
	}
	for _, line := range lines {
		if !known[line] {
			t.Errorf("not in %s: %s", golden, line)
		}
		delete(known, line)
	}
	delete(known, "")
	for line := range known {
		t.Errorf("only in %s: %s", golden, line)
	}
}

// A worker's login, which faces the network, registers nobody and raises nobody; an
// operator's login does. Issue 14, item 4.
func TestOnlyAnOperatorChangesPrincipals(t *testing.T) {
	t.Parallel()
	db := pgtest.URL(t)
	at, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	as := func(o postgres.Login) string {
		o.Name = fmt.Sprintf("%s_%s", strings.TrimLeft(name, "/"), o.Name)
		o.Password = "only for tests"
		if err := postgres.Provision(t.Context(), db, postgres.Options{Logins: []postgres.Login{o}}); err != nil {
			t.Fatal(err)
		}
		u := *at
		u.User = url.UserPassword(o.Name, o.Password)
		return u.String()
	}
	worker, operator := as(postgres.Login{Name: "w", App: true, Relay: true}), as(postgres.Login{Name: "o", Operator: true})
	raised := change.Set{Principals: []memory.Principal{{ID: "agent", Tenant: memory.DefaultTenant, Highest: memory.OriginHuman}}}

	attacker := pgtest.Connect(t, postgres.Config{URL: worker})
	if _, err := attacker.Commit(t.Context(), memory.DefaultTenant, raised, store.InboxKey{}); !errors.Is(err, store.ErrNotOperator) || !strings.Contains(err.Error(), "operator_url") {
		t.Errorf("a worker's login raised a principal: %v", err)
	}
	if p, err := attacker.Principal(t.Context(), "agent"); err != nil || p.Highest != memory.OriginAgent {
		t.Errorf("agent may claim %s, %v", p.Highest, err)
	}
	cli := pgtest.Connect(t, postgres.Config{URL: worker, OperatorURL: operator})
	if _, err := cli.Commit(t.Context(), memory.DefaultTenant, raised, store.InboxKey{}); err != nil {
		t.Fatalf("an operator: %v", err)
	}
	if p, err := cli.Principal(t.Context(), "agent"); err != nil || p.Highest != memory.OriginHuman {
		t.Errorf("agent may claim %s, %v", p.Highest, err)
	}
}
