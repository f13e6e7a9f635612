package ingest_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// sessions is the other door.
func (d *door) sessions(query string) *door {
	return &door{t: d.t, url: strings.TrimSuffix(d.url, "proposals") + "sessions" + query, store: d.store}
}

// A bare trace, an event as JSON and a CloudEvent are one session; the answer
// says what became of it.
func TestSessionOverHTTP(t *testing.T) {
	t.Parallel()
	d := setup(t)
	status, first := d.sessions("?scope=project:shop&session=mine&task=Repair+the+build&format=winnow").post(work)
	if status != http.StatusAccepted || first["duplicate"] != false || first["turns"] != 6.0 || first["outcome"] != "success" || first["outcome_inferred"] != true ||
		first["session_name"] != "mine" || first["principal"] != "agent" || first["scope"] != "project:shop" {
		t.Fatalf("%d: %v", status, first)
	}
	list := stored(t, d.store)
	if len(list) != 1 || list[0].ID != first["session_id"] || list[0].Task != "Repair the build" || list[0].Highest.String() != "agent" {
		t.Fatalf("stored %+v", list)
	}
	if n := len(ingested(t, d.store)); n != 1 {
		t.Errorf("told of %d", n)
	}
	inline := `{"id":"e2","scope":"project:shop","inline":"` + base64.StdEncoding.EncodeToString([]byte(work)) + `"}`
	for name, c := range map[string]struct {
		query, body string
		header      []string
	}{
		"event":      {"", inline, nil},
		"binary":     {"", inline, []string{"Ce-Id", "b1", "Ce-Specversion", "1.0", "Ce-Type", "session.completed.v1"}},
		"structured": {"", `{"specversion":"1.0","id":"s1","type":"session.completed.v1","data":` + inline + `}`, []string{"Content-Type", "application/cloudevents+json"}},
		"text":       {"?scope=project:shop", work, []string{"Content-Type", "text/plain"}},
		"lines":      {"?scope=project:shop", work, []string{"Content-Type", "application/x-ndjson"}},
	} {
		status, got := d.sessions(c.query).post(c.body, c.header...)
		if status != http.StatusAccepted || got["duplicate"] != true || got["session_id"] != first["session_id"] {
			t.Errorf("%s: %d: %v", name, status, got)
		}
	}
	// Without a query the type says that it is a trace; the project gives the scope.
	status, got := d.sessions("").post(work, "Content-Type", "application/x-ndjson")
	if status != http.StatusAccepted || got["scope"] != "project:github.com/acme/api" || got["duplicate"] != false {
		t.Errorf("%d: %v", status, got)
	}
}

// A request that is sent again has one effect; its key is not for another one.
func TestSessionRequestAgain(t *testing.T) {
	t.Parallel()
	d := setup(t)
	in := d.sessions("?scope=project:shop")
	_, first := in.post(work, "Idempotency-Key", "k1")
	status, again := in.post(work, "Idempotency-Key", "k1")
	if status != http.StatusAccepted || again["duplicate"] != true || again["session_id"] != first["session_id"] || first["event_id"] != "k1" {
		t.Errorf("%d: %v after %v", status, again, first)
	}
	if status, got := in.post(work+`{"role":"user","text":"one more"}`, "Idempotency-Key", "k1"); status != http.StatusConflict {
		t.Errorf("%d: %v", status, got)
	}
	if n := len(stored(t, d.store)); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// What is wrong is said at once, with the field and the remedy.
func TestSessionRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	d := setup(t, func(deps *worker.Deps) {
		ingest.Limits.Change(&deps.Settings, func(l *trace.Limits) { l.MaxBytes = 4 << 10 })
		deps.Traces = nil
	})
	for name, c := range map[string]struct {
		query, body string
		header      []string
		status      int
		says        string
	}{
		"empty":          {"?scope=project:a", "", nil, 422, "no turn"},
		"no scope":       {"?format=text", "User: hi", nil, 422, "project:billing"},
		"bad scope":      {"?scope=a", "User: hi", nil, 422, "kind:id"},
		"format":         {"?scope=project:a&format=cursor", "User: hi", nil, 422, "claude-code"},
		"outcome":        {"?scope=project:a&outcome=great", "User: hi", nil, 422, "success, failure"},
		"parameter":      {"?scope=project:a&tenant=acme", "User: hi", nil, 422, "query.tenant"},
		"NUL":            {"?scope=project:a&session=a%00b", "User: hi", nil, 422, "without NUL"},
		"query":          {"?scope=%zz", "User: hi", nil, 400, "query"},
		"binary":         {"?scope=project:a", "\x1f\x8b\x08\x00", nil, 422, "uncompressed"},
		"compressed":     {"?scope=project:a", "x", []string{"Content-Encoding", "gzip"}, 422, "uncompressed"},
		"too long":       {"?scope=project:a", "User: " + strings.Repeat("hello ", 1<<10), nil, 413, "4096 bytes"},
		"event too long": {"", `{"inline":"` + strings.Repeat("A", event.MaxPayload) + `"}`, nil, 413, ""},
		"no event":       {"", "{", nil, 400, ""},
		"unknown field":  {"", `{"scope":"project:a","inline":"","outcomes":"success"}`, nil, 400, "field outcomes is not known"},
		"reference":      {"", `{"scope":"project:a","reference":{"uri":"trace://agent/run-1","size":1}}`, nil, 422, "inline"},
		"unknown key":    {"?scope=project:a", "User: hi", []string{"Authorization", "Bearer nope"}, 401, "not known"},
	} {
		status, got := d.sessions(c.query).post(c.body, c.header...)
		detail := ""
		if got["errors"] != nil {
			for _, e := range got["errors"].([]any) {
				detail += e.(map[string]any)["field"].(string) + " " + e.(map[string]any)["remedy"].(string)
			}
		}
		if says, _ := got["detail"].(string); status != c.status || !strings.Contains(says+detail, c.says) {
			t.Errorf("%s: %d, want %d: %v", name, status, c.status, got)
		}
	}
	if n := len(stored(t, d.store)); n != 0 {
		t.Errorf("%d sessions kept", n)
	}
}

// A body that breaks off is no session: the client sends it again.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	d := setup(t)
	body, pipe := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.sessions("?scope=project:a").url, body)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(pipe, work)
		_ = pipe.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Errorf("answered %s", resp.Status)
	}
	if n := len(stored(t, d.store)); n != 0 {
		t.Errorf("%d sessions kept", n)
	}
}
