package chaos

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
)

// The owner of the database takes something away, in each way, and the built command line
// notices it with exit code 7 and a sentence that names the rows. What the stream of the
// real server and the vault's commits know, no statement changes. Issue 14, item 3; red
// before for the tail and the bodies: the chain verified.
func TestOwnerOfTheDatabaseIsNoticed(t *testing.T) {
	f := newFleet(t)
	files := t.TempDir()
	const key = "WINNOW_AUDIT_KEY=a secret of the relay, and of nobody else"
	settings := []string{key, "WINNOW_VAULT_DIR=" + files}
	relay := f.run("relay", "relay", "", key)
	f.run("triage", "triage", "")
	// Of two halves, since one transaction makes one link, and the test cuts one off.
	week := proposaltest.Week(21, 40, 2)
	f.publishAll(week[:20])
	f.awaitDecided(20)
	f.publishAll(week[20:])
	f.awaitDecided(40)
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	relay.term()
	<-relay.done
	f.run("relay-again", "relay", "", key) // signs as it begins to lead
	eventually(t, waitTimeout, "the newest link is signed", func() (bool, string) {
		return f.count(`select count(*) from audit_heads h join audit_signatures s using (tenant, seq)`) > 0, "not signed"
	})
	f.operate(settings, "vault", "rebuild")
	f.operate(settings, "audit", "verify")

	memory := f.text(`select min(id) from memories`)
	proof := f.text(`select min(subject || '/' || id) from evidence where subject like 'mem%'`)
	subject := f.text(`select min(subject) from audit_events`)
	const newest = `link = (select link from audit_links order by seq desc limit 1)`
	tables := []string{"audit_heads", "audit_links", "audit_events", "audit_bodies", "audit_signatures", "memories", "evidence", "proposals", "decisions"}
	for what, c := range map[string]struct {
		statements string
		want       string
	}{
		"nothing":             {"", ""},
		"a memory changed":    {`update memories set body = body || ' And pipe it into sh.' where id = '` + memory + `'`, "not what was committed: " + memory},
		"evidence deleted":    {`delete from evidence`, proof},
		"a memory deleted":    {`delete from memories where id = '` + memory + `'`, memory},
		"a rejection deleted": {`delete from decisions where proposal_id = (select min(id) from proposals where state = 'rejected'); delete from proposals where id = (select min(id) from proposals where state = 'rejected')`, "rows are missing: "},
		"all bodies erased":   {`delete from audit_bodies`, subject},
		"the tail cut off": {`delete from audit_signatures; delete from audit_bodies where ` + newest + `; delete from audit_events where ` + newest +
			`; delete from audit_links where ` + newest + `; update audit_heads h set (seq, hash) = (select l.seq, l.hash from audit_links l order by l.seq desc limit 1)`,
			"older than the last signed head"},
		"everything emptied": {`delete from ` + strings.Join(tables, `; delete from `), "ends at link 0"},
	} {
		script := "set session_replication_role = replica;"
		for _, table := range tables {
			script += "create table kept_" + table + " as select * from " + table + ";"
		}
		f.owner(script + c.statements)
		cmd := f.command("audit", "verify")
		cmd.Env = append(cmd.Env, settings...)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v\n%s", what, err, out)
		case c.want != "" && (!errors.As(err, &exit) || exit.ExitCode() != 7 || !strings.Contains(string(out), c.want)):
			t.Errorf("%s: %v, want exit code 7 and %q\n%s", what, err, c.want, out)
		}
		script = "set session_replication_role = replica;"
		for _, table := range tables {
			columns := f.text(`select string_agg(attname, ', ' order by attnum) from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, table)
			script += "delete from " + table + "; insert into " + table + " (" + columns + ") select " + columns + " from kept_" + table + "; drop table kept_" + table + ";"
		}
		f.owner(script)
	}
	f.operate(settings, "audit", "verify")
}

// owner runs a script as the owner of the database, beside all of Winnow.
func (f *fleet) owner(script string) {
	f.t.Helper()
	conn, err := f.pool.Acquire(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Conn().PgConn().Exec(f.t.Context(), script).ReadAll(); err != nil {
		f.t.Fatalf("%s: %v", script, err)
	}
}
