package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// App is the role of the command line and of processes with several workers.
	App = "winnow_app"
	// Relay is the role of the outbox and of retention, which no tenant bounds.
	Relay = "winnow_relay"
	// Worker has no right of its own. The roles of workers are its members, and row
	// security names it, so that a new worker needs no new policy.
	Worker = "winnow_worker"
	// Bound is the role of logins that an owner bound to tenants. A restrictive policy
	// names it.
	Bound = "winnow_bound"
)

// statements are the letters of the matrix.
var statements = map[rune]string{'r': "select", 'i': "insert", 'u': "update", 'd': "delete"}

// Right is what one worker may do to one table.
type Right struct {
	Worker, Table string
	Grants        []string // such as "select" and "update (state, version)"
}

// Workers returns the names of the workers that have a role of their own, in the order
// of the matrix. The relay's role is older than the matrix and not among them.
func Workers() []string {
	head, _, _ := strings.Cut(strings.TrimSpace(Matrix), "\n")
	return strings.Fields(head)
}

// Rights returns every cell of the matrix that grants something. The test of the package
// reads the matrix first, so that a malformed one is never built in.
func Rights() []Right {
	lines := strings.Split(strings.TrimSpace(Matrix), "\n")
	workers := Workers()
	var all []Right
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, letters := range cells[1:] {
			r := Right{Worker: workers[i], Table: cells[0]}
			for _, letter := range strings.ReplaceAll(letters, "-", "") {
				r.Grants = append(r.Grants, statement(letter, r.Worker, r.Table))
			}
			if len(r.Grants) > 0 {
				all = append(all, r)
			}
		}
	}
	return all
}

func statement(letter rune, worker, table string) string {
	columns, some := narrowed[worker+" "+table]
	if !some {
		columns, some = updatable[table]
	}
	if letter == 'u' && some {
		return "update (" + columns + ")"
	}
	return statements[letter]
}

// Role returns the role of a worker, and App for every other name, the empty one too.
func Role(worker string) string {
	switch {
	case worker == "relay":
		return Relay
	case slices.Contains(Workers(), worker):
		return "winnow_" + worker
	}
	return App
}

// BoundRole returns the role of a worker whose login is bound to tenants.
func BoundRole(worker string) string { return Role(worker) + "_bound" }

// Roles returns the roles of all workers, each followed by its bound one.
func Roles() []string {
	var all []string
	for _, w := range Workers() {
		all = append(all, Role(w), BoundRole(w))
	}
	return all
}

// Become returns the statement by which a new connection drops all rights but those of
// the role. Where the role is a worker's, a login that is a member of the bound role
// instead gets that one, and a login of an older installation, which is a member of
// neither, those of App. That gives nobody more: the server sets only roles of the login.
func Become(role string) string {
	if !slices.Contains(Roles(), role) {
		return "set role " + role
	}
	member := func(of string) string {
		return fmt.Sprintf("to_regrole('%[1]s') is not null and pg_has_role(session_user, to_regrole('%[1]s'), 'member') then '%[1]s'", of)
	}
	return fmt.Sprintf("select set_config('role', case when %s when %s else '%s' end, false)",
		member(role), member(role+"_bound"), App)
}

// CreateRoles returns a script that makes the missing roles. Its login may create roles.
func CreateRoles() string {
	var b strings.Builder
	fmt.Fprintf(&b, "do $$\ndeclare\n  wanted text;\n  wants text[] := array['%s'];\nbegin\n  foreach wanted in array wants loop\n",
		strings.Join(append([]string{Worker, Bound}, Roles()...), "', '"))
	b.WriteString(`    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', wanted);
      exception when duplicate_object or unique_violation then null; -- another process did it
      end;
    end if;
  end loop;
  foreach wanted in array wants loop
`)
	fmt.Fprintf(&b, "    if wanted not in ('%[1]s', '%[2]s') and not exists (select from pg_auth_members m\n"+
		"      where m.roleid = '%[1]s'::regrole and m.member = wanted::regrole) then\n"+
		"      begin\n        execute format('grant %[1]s to %%I', wanted);\n"+
		"      exception when unique_violation then null;\n      end;\n    end if;\n", Worker, Bound)
	fmt.Fprintf(&b, "    if wanted like 'winnow\\_%%\\_bound' and not exists (select from pg_auth_members m\n"+
		"      where m.roleid = '%[1]s'::regrole and m.member = wanted::regrole) then\n"+
		"      begin\n        execute format('grant %[1]s to %%I', wanted);\n"+
		"      exception when unique_violation then null;\n      end;\n    end if;\n", Bound)
	b.WriteString("  end loop;\nend $$;\n")
	fmt.Fprintf(&b, "grant usage on schema public to %s;\n", Worker)
	return b.String()
}

// Grant returns the script that gives every role exactly its rights, for the owner of a
// migrated schema. What a role had besides is revoked.
func Grant() string {
	var b strings.Builder
	roles := strings.Join(Roles(), ", ")
	fmt.Fprintf(&b, "revoke all on all tables in schema public from %s;\n", roles)
	fmt.Fprintf(&b, "revoke all on all functions in schema public from %s;\n", roles)
	for _, r := range Rights() {
		fmt.Fprintf(&b, "grant %s on %s to %s, %s;\n", strings.Join(r.Grants, ", "), r.Table, Role(r.Worker), BoundRole(r.Worker))
	}
	for _, f := range slices.Sorted(maps.Keys(functions)) {
		for _, w := range strings.Fields(functions[f]) {
			fmt.Fprintf(&b, "grant execute on function %s to %s, %s;\n", f, Role(w), BoundRole(w))
		}
	}
	return b.String()
}
