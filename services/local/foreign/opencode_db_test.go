package foreign_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/local/foreign"
)

// The tables of OpenCode 1.2 to 1.x, and those that version 2 added, with the columns that
// are read and some that are not.
const (
	tablesOfOne = `create table session (id text primary key, project_id text not null, parent_id text, directory text not null, title text not null, time_created integer not null);
create table message (id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
create table part (id text primary key, message_id text not null, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);`
	tablesOfTwo = `create table session_v2 (id text primary key, project_id text not null, parent_id text, directory text not null, title text, time_created integer not null);
create table session_message (id text primary key, session_id text not null, type text not null, seq integer not null, time_created integer not null, time_updated integer not null, data text not null);`
)

// database makes a database of these statements in write-ahead mode, as OpenCode does, and
// closes it, unless it is to stay open.
func database(t *testing.T, open bool, statements ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"pragma journal_mode = wal"}, statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if open {
		t.Cleanup(func() { _ = db.Close() })
	} else if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func quoted(object any) string {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return "'" + strings.ReplaceAll(string(raw), "'", "''") + "'"
}

// versionOne is the sample of files of JSON, as rows.
func versionOne(id, parent string) []string {
	type o = map[string]any
	rows := []string{fmt.Sprintf(`insert into session values ('%s', 'p1', %s, '/srv/shop', 't', 1793610000000)`, id, parent)}
	for n, m := range []o{{"role": "user", "time": o{"created": 1793610000000}}, {"role": "assistant", "time": o{"created": 1793610005000}}} {
		rows = append(rows, fmt.Sprintf(`insert into message values ('msg_%d', '%s', %d, 0, %s)`, n+1, id, 1793610000000+n*5000, quoted(m)))
	}
	for n, p := range []o{
		{"type": "text", "text": asked}, {"type": "text", "synthetic": true, "text": strange},
		{"type": "text", "text": "I look."},
		{"type": "tool", "tool": "bash", "callID": "c1", "state": o{"status": "completed", "input": o{"command": "cat import.log"}, "output": strange}},
		{"type": "text", "text": ended},
	} {
		rows = append(rows, fmt.Sprintf(`insert into part values ('prt_%d', 'msg_%d', '%s', 0, 0, %s)`, n+1, 1+min(1, n/2), id, quoted(p)))
	}
	return rows
}

// versionTwo is the same conversation in the tables of version 2. The order of the rows is
// not that of their numbers.
func versionTwo(id string) []string {
	type o = map[string]any
	rows := []string{fmt.Sprintf(`insert into session_v2 values ('%s', 'p1', null, '/srv/shop', null, 1793610000000)`, id)}
	for n, m := range []struct {
		kind string
		data o
	}{
		{"user", o{"text": asked, "time": o{"created": 1793610000000}}},
		{"synthetic", o{"text": strange}},
		{"assistant", o{"agent": "build", "content": []o{
			{"type": "text", "text": "I look."},
			{"type": "tool", "id": "c1", "name": "bash", "state": o{"status": "completed", "input": o{"command": "cat import.log"}, "content": []o{{"type": "text", "text": strange}}}},
			{"type": "tool", "id": "c2", "name": "bash", "state": o{"status": "error", "input": o{"command": "false"}, "content": []o{}, "error": o{"type": "x", "message": "exit 1"}}},
		}}},
		{"shell", o{"callID": "c3", "command": "cat import.log", "output": strange}},
		{"model-switched", o{"model": o{"id": "m"}}},
		{"compaction", o{"summary": strange}},
		{"assistant", o{"agent": "build", "content": []o{{"type": "text", "text": ended}}}},
	} {
		rows = append(rows, fmt.Sprintf(`insert into session_message values ('evt_%d', '%s', '%s', %d, 1793610000000, 0, %s)`, 9-n, id, m.kind, n, quoted(m.data)))
	}
	return rows
}

// A session in a database says the same as one in files, byte for byte, so that what was
// published before OpenCode moved it is not published a second time.
func TestSessionsInADatabase(t *testing.T) {
	t.Parallel()
	files, _, err := foreign.Rewrite(write(t, samples["opencode"]))
	if err != nil {
		t.Fatal(err)
	}
	// Closed, and while OpenCode writes: then the rows are in a journal beside the file.
	for _, open := range []bool{false, true} {
		name := database(t, open, append([]string{tablesOfOne}, versionOne("ses_a1", "null")...)...)
		if list, err := foreign.OpenCodeSessions(name); err != nil || !slices.Equal(list, []string{filepath.Join(name, "ses_a1")}) {
			t.Fatalf("open %v: %q, %v", open, list, err)
		}
		before, _ := os.ReadDir(filepath.Dir(name))
		got, ok, err := foreign.Rewrite(filepath.Join(name, "ses_a1"))
		if !ok || err != nil || !bytes.Equal(got, files) {
			t.Errorf("open %v: %v, %v:\n%s\nwant\n%s", open, ok, err, got, files)
		}
		if after, _ := os.ReadDir(filepath.Dir(name)); len(after) != len(before) {
			t.Errorf("open %v: files appeared beside the database: %v", open, after)
		}
	}

	// Version 2 leaves the old tables as they were: the new ones count.
	name := database(t, false, slices.Concat([]string{tablesOfOne, tablesOfTwo}, versionOne("ses_old", "null"), versionTwo("ses_new"),
		[]string{`insert into session values ('ses_new', 'p1', null, '/srv/other', 't', 1)`})...)
	list, err := foreign.OpenCodeSessions(name)
	if err != nil || len(list) != 2 {
		t.Fatalf("%q, %v", list, err)
	}
	for _, one := range list {
		s, err := rewrite(t, one)
		if err != nil {
			t.Fatal(one, err)
		}
		var persons []string
		for _, turn := range s.Turns {
			if turn.Role == trace.RoleUser {
				persons = append(persons, turn.Text)
			}
			if turn.Role == trace.RoleAssistant && turn.Text == strange {
				t.Errorf("%s: the agent is said to have said %q", one, turn.Text)
			}
		}
		if !slices.Equal(persons, []string{asked}) || s.Turns[len(s.Turns)-1].Text != ended || s.Dir != "/srv/shop" || s.Report.Skipped != 0 || s.Report.Truncated {
			t.Errorf("%s: a person said %q, in %s, %+v, %+v", one, persons, s.Dir, s.Turns, s.Report)
		}
	}
}

// What else may stand in a database, and what else may have its name.
func TestHostileDatabases(t *testing.T) {
	t.Parallel()
	for what, statements := range map[string][]string{
		"a subagent":    versionOne("ses_x", "'ses_0'"),
		"no JSON":       {`insert into session values ('ses_x', 'p', null, '/', 't', 0)`, `insert into message values ('m', 'ses_x', 0, 0, '{"role":"user"')`, `insert into part values ('p', 'm', 'ses_x', 0, 0, '{"type":"text","text":"mine"}')`},
		"other types":   {`insert into session values ('ses_x', 'p', null, '/', 't', 'soon')`, `insert into message values ('m', 'ses_x', 0, 0, '{"role":7}')`},
		"a blob":        {`insert into session values ('ses_x', 'p', null, '/', 't', 0)`, `insert into message values ('m', 'ses_x', 0, 0, '{"role":"user"}')`, `insert into part values ('p', 'm', 'ses_x', 0, 0, zeroblob(100000000))`},
		"no such":       {},
		"an id as path": {`insert into session values ('../../etc/passwd', 'p', null, '/', 't', 0)`},
	} {
		name := database(t, false, append([]string{tablesOfOne}, statements...)...)
		if list, err := foreign.OpenCodeSessions(name); err != nil || slices.ContainsFunc(list, func(s string) bool { return filepath.Dir(s) != name }) {
			t.Errorf("%s: %q, %v", what, list, err)
		}
		if raw, ok, _ := foreign.Rewrite(filepath.Join(name, "ses_x")); !ok || bytes.Contains(raw, []byte(`"role":"user"`)) {
			t.Errorf("%s: %v, %s", what, ok, raw)
		}
	}
	dir := t.TempDir()
	for file, text := range map[string]string{"opencode.db": "no database", "opencode-dev.db": "SQLite format 3\x00" + strings.Repeat("\xff", 5000), "opencode-x.db": ""} {
		name := filepath.Join(dir, file)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := foreign.OpenCodeSessions(name); len(list) != 0 || (err == nil) != (text == "") {
			t.Errorf("%s: %q, %v", file, list, err)
		}
		if _, ok, err := foreign.Rewrite(filepath.Join(name, "ses_x")); !ok || err == nil {
			t.Errorf("%s: %v, %v", file, ok, err)
		}
	}
	// A newer version, whose tables nobody has seen yet.
	if _, _, err := foreign.Rewrite(filepath.Join(database(t, false, strings.ReplaceAll(tablesOfTwo, "session_message", "session_event"),
		`insert into session_v2 values ('ses_x', 'p', null, '/', 't', 0)`), "ses_x")); err == nil || !strings.Contains(err.Error(), "opencode export") {
		t.Errorf("unknown tables: %v", err)
	}
}
