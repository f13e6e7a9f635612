package ingest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type door struct {
	t     *testing.T
	url   string
	store store.Store
}

func setup(t *testing.T, adjust ...func(*worker.Deps)) *door {
	t.Helper()
	db := pgtest.New(t)
	st := db.Store
	deps := workertest.Deps(t, natstest.New(t), db.As(t, "ingest"))
	for _, a := range adjust {
		a(&deps)
	}
	mux := http.NewServeMux()
	if err := ingest.Definition.Routes(deps, mux); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return &door{t: t, url: srv.URL + "/api/proposals", store: st}
}

// post returns the status and the decoded answer.
func (d *door) post(body string, header ...string) (int, map[string]any) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		d.t.Fatalf("status %d: %v", resp.StatusCode, err)
	}
	return resp.StatusCode, out
}

// waiting are the proposals in the outbox.
func (d *door) waiting() []*winnowv1.ProposalCreated {
	d.t.Helper()
	rows, err := d.store.Unpublished(d.t.Context(), 100)
	if err != nil {
		d.t.Fatal(err)
	}
	var out []*winnowv1.ProposalCreated
	for _, row := range rows {
		env, err := event.Parse(row.Subject, row.Header, row.Data, "none")
		if err != nil {
			d.t.Fatal(err)
		}
		msg := new(winnowv1.ProposalCreated)
		if err := event.Unmarshal(env, msg); err != nil {
			d.t.Fatal(err)
		}
		if env.Principal != "agent" || env.ID != msg.GetId() {
			d.t.Errorf("event %q of %q", env.ID, env.Principal)
		}
		out = append(out, msg)
	}
	return out
}

// The same request twice has one effect and one answer.
func TestAcceptsOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const body = `{"scope":"project:shop","text":"The API listens on port 8080.","tenant":"acme"}`
	var ids []any
	for i := range 2 {
		status, got := d.post(body, "Idempotency-Key", "k1")
		if status != http.StatusAccepted || got["duplicate"] != (i == 1) || got["principal"] != "agent" {
			t.Fatalf("status %d: %v", status, got)
		}
		ids = append(ids, got["event_id"])
	}
	if ids[0] != ids[1] {
		t.Errorf("ids %v", ids)
	}
	// A tenant in the payload is a forged claim.
	if w := d.waiting(); len(w) != 1 || w[0].GetTenant() != "" || w[0].GetText() != "The API listens on port 8080." {
		t.Errorf("outbox: %v", w)
	}
}

// JSON, protobuf and CloudEvents in both modes are one thing.
func TestEncodings(t *testing.T) {
	t.Parallel()
	d := setup(t)
	raw, err := proto.Marshal(&winnowv1.ProposalCreated{Scope: "project:shop", Text: "same"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body   string
		header []string
	}{
		"json":       {`{"scope":"project:shop","text":"same"}`, nil},
		"protobuf":   {string(raw), []string{"Content-Type", "application/protobuf"}},
		"binary":     {`{"scope":"project:shop","text":"same"}`, []string{"Ce-Id", "b1", "Ce-Specversion", "1.0", "Ce-Type", "memory.proposal.created.v1"}},
		"structured": {`{"specversion":"1.0","id":"s1","type":"memory.proposal.created.v1","data":{"scope":"project:shop","text":"same"}}`, []string{"Content-Type", "application/cloudevents+json"}},
	} {
		if status, got := d.post(c.body, c.header...); status != http.StatusAccepted {
			t.Errorf("%s: status %d: %v", name, status, got)
		}
	}
	got := d.waiting()
	if len(got) != 4 {
		t.Fatalf("%d events wait", len(got))
	}
	for _, msg := range got {
		if msg.GetText() != "same" || msg.GetScope() != "project:shop" {
			t.Errorf("event %v", msg)
		}
	}
}

// A secret never reaches the outbox, whatever field it is in. Promise 5 of SPEC
// §16.
func TestRedactsBeforeWriting(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const secret = "hunter2-correct-horse"
	status, _ := d.post(`{"scope":"project:shop","text":"The URL is postgres://app:` + secret + `@db/shop.",
		"title":"postgres://app:` + secret + `@db","tags":["postgres://app:` + secret + `@db"],
		"evidence":[{"text":"postgres://app:` + secret + `@db"}]}`)
	if status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	for _, msg := range d.waiting() {
		if s := msg.String(); strings.Contains(s, secret) {
			t.Errorf("the secret is in the outbox: %s", s)
		}
	}
}

// Every refusal names what is wrong and what to do, in RFC 9457 form.
func TestRefusals(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for name, c := range map[string]struct {
		body   string
		header []string
		status int
		says   string
	}{
		"malformed":     {`{"scope":`, nil, http.StatusBadRequest, "malformed"},
		"two fields":    {`{"scope":"shop","text":" "}`, nil, http.StatusUnprocessableEntity, `"field":"text"`},
		"kind":          {`{"scope":"project:a","text":"a","kind":"rumour"}`, nil, http.StatusUnprocessableEntity, `"field":"kind"`},
		"content type":  {`a`, []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType, "application/json"},
		"too large":     {`{"text":"` + strings.Repeat("x", 1<<20) + `"}`, nil, http.StatusRequestEntityTooLarge, "large"},
		"version":       {`{}`, []string{"Ce-Type", "memory.proposal.created.v7"}, http.StatusBadRequest, "v1"},
		"unknown key":   {`{}`, []string{"Authorization", "Bearer nope"}, http.StatusUnauthorized, "not known"},
		"no bearer":     {`{}`, []string{"Authorization", "Basic eDp5"}, http.StatusUnauthorized, "Bearer"},
		"cross site":    {`{}`, []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, ""},
		"long key":      {`{"scope":"project:a","text":"a"}`, []string{"Idempotency-Key", strings.Repeat("k", 300)}, http.StatusUnprocessableEntity, "Idempotency-Key"},
		"unknown field": {`{"scope":"project:a","text":"a","kinds":"rule"}`, nil, http.StatusBadRequest, "field kinds is not known"},
		"field's name":  {`{"scope":"project:a","text":"a","sk-live-42":""}`, nil, http.StatusBadRequest, "it has a field that is not known"},
		"control chars": {`{"scope":"project:a","text":"a\u0000"}`, nil, http.StatusBadRequest, "text"},
	} {
		if c.status == http.StatusForbidden {
			continue // answered by the standard library in plain text, below
		}
		status, got := d.post(c.body, c.header...)
		raw, _ := json.Marshal(got)
		if status != c.status || !strings.Contains(string(raw), c.says) || got["title"] == "" {
			t.Errorf("%s: status %d, want %d: %s", name, status, c.status, raw)
		}
	}
	if w := d.waiting(); len(w) != 0 {
		t.Errorf("%d events wait", len(w))
	}
}

// A page of another site cannot speak for the person at this machine.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for _, set := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		func(r *http.Request) { r.Host = "rebound.example" },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url, strings.NewReader(`{"scope":"project:a","text":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		set(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	if w := d.waiting(); len(w) != 0 {
		t.Errorf("%d events wait", len(w))
	}
}

// Without a default principal a key is needed, on loopback too.
func TestStrictModeNeedsAKey(t *testing.T) {
	t.Parallel()
	d := setup(t, func(deps *worker.Deps) { deps.DefaultPrincipal = "" })
	if status, got := d.post(`{"scope":"project:a","text":"a"}`); status != http.StatusUnauthorized {
		t.Errorf("status %d: %v", status, got)
	}
}
