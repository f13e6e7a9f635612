package local_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite"

	"github.com/winnowhq/winnow/services/local"
)

func put(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each agent's present way to store sessions is found in a home, each session once, and what
// belongs to a session is none of its own.
func TestTracesOfEveryAgent(t *testing.T) {
	t.Parallel()
	home := local.Home{Dir: t.TempDir()}
	project := filepath.Join(home.Dir, "src", "shop")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	rollout := fmt.Sprintf(`{"timestamp":"2026-02-01T09:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":%q,"source":"cli"}}
{"timestamp":"2026-02-01T09:00:01Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"Please remember: the changelog lives in docs/CHANGES.md."}]}}}
`, project)
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll([]byte(rollout), nil)
	old := filepath.Join(home.Dir, ".codex", "sessions", "2026", "02", "01", "rollout-old.jsonl.zst")
	put(t, old, packed)
	put(t, filepath.Join(home.Dir, ".codex", "sessions", "2026", "02", "08", "rollout-new.jsonl"), []byte(strings.ReplaceAll(rollout, "c1", "c2")))
	put(t, filepath.Join(home.Dir, ".codex", "sessions", "2026", "02", "08", "rollout-new.jsonl.zst"), packed)

	cline := filepath.Join(home.Dir, ".cline", "data", "sessions", "17_A")
	put(t, filepath.Join(cline, "17_A.messages.json"), []byte(`{"version":1,"agent":"lead","messages":[{"role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">Go on.</user_input>"}]}]}`))
	put(t, filepath.Join(cline, "17_A.json"), []byte(fmt.Sprintf(`{"cwd":%q}`, project)))
	put(t, filepath.Join(cline, "helper.messages.json"), []byte(`{"messages":[]}`))

	slug := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(strings.TrimPrefix(project, "/"), "-")
	cursor := filepath.Join(home.Dir, ".cursor", "projects", slug)
	put(t, filepath.Join(cursor, "agent-transcripts", "u1", "u1.jsonl"), []byte(`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>Go on.</user_query>"}]}}`))
	put(t, filepath.Join(cursor, "agent-transcripts", "u1", "subagents", "u2.jsonl"), []byte("{}"))
	put(t, filepath.Join(cursor, "mcps", "tools.json"), []byte("{}"))

	data := filepath.Join(home.Dir, ".local", "share", "opencode")
	put(t, filepath.Join(data, "storage", "session", "p1", "ses_a1.json"), []byte(`{"id":"ses_a1"}`))
	put(t, filepath.Join(data, "storage", "session", "p1", "ses_b2.json"), []byte(`{"id":"ses_b2"}`))
	put(t, filepath.Join(data, "opencode-dev.db"), []byte("no database"))
	db, err := sql.Open("sqlite", filepath.Join(data, "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		`create table session (id text, parent_id text, directory text, time_created integer)`,
		`create table message (id text, session_id text, time_created integer, data text)`, `create table part (id text, message_id text, data text)`,
		fmt.Sprintf(`insert into session values ('ses_a1', null, '%s', 1793610000000)`, project),
		`insert into message values ('m1', 'ses_a1', 1793610000000, '{"role":"user"}')`,
		`insert into part values ('p1', 'm1', '{"type":"text","text":"Please remember: releases are cut from the branch stable."}')`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	found, _ := home.Traces()
	var got []string
	for _, f := range found {
		below, _ := filepath.Rel(home.Dir, f.Path)
		got = append(got, f.Agent+" "+filepath.ToSlash(below))
	}
	slices.Sort(got)
	want := []string{
		"Cline .cline/data/sessions/17_A/17_A.messages.json",
		"Codex .codex/sessions/2026/02/01/rollout-old.jsonl.zst",
		"Codex .codex/sessions/2026/02/08/rollout-new.jsonl",
		"Cursor .cursor/projects/" + slug + "/agent-transcripts/u1/u1.jsonl",
		"OpenCode .local/share/opencode/opencode-dev.db",
		"OpenCode .local/share/opencode/opencode.db/ses_a1",
		"OpenCode .local/share/opencode/storage/session/p1/ses_b2.json",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	plan := planned(t, home)
	if scopes := len(plan.Projects); scopes != 1 || plan.Projects[0].Scope != "project:shop" {
		t.Errorf("%d projects: %+v", scopes, plan.Projects)
	}
	if plan.Sessions != 5 || plan.Lessons != 2 || plan.Empty != 1 {
		t.Errorf("%d sessions, %d lessons, %d empty: %+v", plan.Sessions, plan.Lessons, plan.Empty, plan)
	}
	if len(plan.Unreadable) != 1 || plan.Unreadable[0].Agent != "OpenCode" || !strings.Contains(plan.Unreadable[0].Problem, "opencode export") {
		t.Errorf("unreadable: %+v", plan.Unreadable)
	}

	// Packed or plain, a rollout is one event; and a folder or a database names its sessions.
	plain := filepath.Join(t.TempDir(), "rollout.jsonl")
	put(t, plain, []byte(rollout))
	one, err := local.ReadSession(old, local.SessionOptions{})
	two, err2 := local.ReadSession(plain, local.SessionOptions{})
	if err != nil || err2 != nil || one.EventID != two.EventID || one.Format != "codex" {
		t.Errorf("%+v, %v and %+v, %v", one, err, two, err2)
	}
	for _, path := range []string{data, filepath.Join(data, "opencode.db"), filepath.Join(data, "opencode.db", "ses_a1")} {
		if files, _ := local.FindTraces([]string{path}, false); !slices.Contains(files, filepath.Join(data, "opencode.db", "ses_a1")) {
			t.Errorf("%s: %q", path, files)
		}
	}
	if _, unread := local.FindTraces([]string{filepath.Join(data, "opencode-dev.db")}, false); len(unread) != 1 {
		t.Errorf("no database: %v", unread)
	}

	// A small file that unpacks to more than any trace may be.
	bomb := filepath.Join(t.TempDir(), "rollout.jsonl.zst")
	put(t, bomb, packer.EncodeAll(bytes.Repeat([]byte("\n"), 1<<30), nil))
	if _, err := local.ReadSession(bomb, local.SessionOptions{}); err == nil {
		t.Error("a file that unpacks to a gigabyte was read")
	}
}
