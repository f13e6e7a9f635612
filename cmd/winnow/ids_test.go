package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/services/run"
)

// Issue 14, item 5: people put tokens into ids too. Whoever names an event, a request, a
// session or a workflow by a secret, at whichever door, leaves it in no row; and an event
// that comes again under such an id is known.
func TestSecretsInIdsReachNoRow(t *testing.T) {
	t.Parallel()
	d := openDoors(t)
	cfg := run.DefaultConfig()
	cfg.StateDir = instance.Dir
	cfg, _, err := run.Locate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), cfg.Postgres.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	var secrets []string
	secret := func() string {
		s := "ghp_" + (rand.Text() + rand.Text())[:36] // the form of a token, and nobody's
		secrets = append(secrets, s)
		return s
	}
	twice := func(what string, send func(body string)) {
		body := fmt.Sprintf(`"scope": "project:ids", "text": "2026-11-19: the %s of ids listens on port %d in deploy/ids.yaml."`, what, 4000+len(secrets))
		send(body)
		send(body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	publish := func(header map[string]string, body string) {
		m := &nats.Msg{Subject: "memory.proposal.created.agent", Header: nats.Header{}, Data: []byte(body)}
		for name, value := range header {
			m.Header.Set(name, value)
		}
		if _, err := d.js.PublishMsg(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	post := func(path string, header map[string]string, body string) string {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, instance.HTTPURL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range header {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		if resp.StatusCode >= 300 {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
		return string(text)
	}

	s := secret()
	twice("broker", func(body string) { publish(map[string]string{"ce-id": s}, "{"+body+"}") })
	s1 := secret()
	twice("cache", func(body string) { publish(map[string]string{"Nats-Msg-Id": s1}, "{"+body+"}") })
	s2 := secret()
	twice("queue", func(body string) { publish(nil, `{"id": "`+s2+`", `+body+"}") })
	s3 := secret()
	twice("proxy", func(body string) {
		publish(map[string]string{"ce-id": "run 7 of " + s3}, `{"session_id": "`+s3+`", `+body+"}")
	})
	s4, answers := secret(), []string{}
	twice("gateway", func(body string) {
		answers = append(answers, post("/api/proposals", map[string]string{"Content-Type": "application/json", "Idempotency-Key": s4}, "{"+body+"}"))
	})
	if !strings.Contains(answers[1], `"duplicate":true`) && !strings.Contains(answers[1], `"duplicate": true`) {
		t.Errorf("a repeated request is taken for another: %s", answers[1])
	}
	s5 := secret()
	twice("mirror", func(body string) {
		post("/api/proposals", map[string]string{"Content-Type": "application/json", "Ce-Id": s5, "Ce-Specversion": "1.0", "Ce-Type": "memory.proposal.created.v1", "Ce-Source": "x"}, "{"+body+"}")
	})
	post("/api/sessions?scope=project:ids&session="+secret(), map[string]string{"Content-Type": "text/plain"}, "user: the port is 1\n")
	for tool, arguments := range map[string]map[string]any{
		"memory_record":  {"title": "Ids", "description": "When an id is chosen.", "content": "A run is named by its number.", "outcome": "success", "project": "ids", "session_id": secret()},
		"memory_search":  {"query": "port of ids", "project": "ids", "session_id": secret()},
		"session_start":  {"project": "ids", "session_id": secret()},
		"start_workflow": {"project": "ids", "name": "release " + secret()},
	} {
		if r, err := d.agent.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments}); err != nil || r.IsError {
			t.Errorf("%s: %v, %+v", tool, err, r)
		}
	}
	cmd := exec.CommandContext(ctx, "winnow", "propose", "2026-11-19: the mailer of ids listens on port 4999 in deploy/ids.yaml.", "--scope", "project:ids", "--session", secret(), "--state-dir", instance.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("propose: %v\n%s", err, out)
	}

	// Everything is handled: the triage of this instance has nothing in hand.
	for idle := false; !idle; {
		c, err := d.js.Consumer(ctx, "INTAKE", "triage")
		if err != nil {
			t.Fatal(err)
		}
		var waits int
		if err := db.QueryRow(ctx, "select count(*) from outbox where published_at is null").Scan(&waits); err != nil {
			t.Fatal(err)
		}
		idle = waits == 0 && c.CachedInfo().NumPending == 0 && c.CachedInfo().NumAckPending == 0
	}
	for _, what := range []string{"broker", "cache", "queue", "proxy", "gateway", "mirror"} {
		var n int
		if err := db.QueryRow(ctx, "select count(*) from proposals where scope = 'project:ids' and body like $1", "%the "+what+" of%").Scan(&n); err != nil || n != 1 {
			t.Errorf("%s: %d proposals, %v; want one of two deliveries", what, n, err)
		}
	}
	for place, text := range rowsOf(t, db) {
		for _, s := range secrets {
			if bytes.Contains(text, []byte(s)) {
				t.Errorf("%s holds %s", place, s)
			}
		}
	}
}

// rowsOf returns all rows of every table, by the table.
func rowsOf(t *testing.T, db *pgx.Conn) map[string][]byte {
	t.Helper()
	rows, err := db.Query(t.Context(), "select tablename::text from pg_tables where schemaname = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, table := range tables {
		rows, err := db.Query(t.Context(), "select * from "+strconv.Quote(table))
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				if raw, ok := v.([]byte); ok {
					all[table] = append(append(all[table], raw...), '\n')
					continue
				}
				all[table] = fmt.Appendln(all[table], v)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
