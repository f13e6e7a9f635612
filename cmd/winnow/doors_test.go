package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/run"
)

// Issue 11: a proposal that is wrong is wrong at every door, of the same field: a
// dead letter at the subject, 422 over HTTP, an error in the answer over MCP, exit
// code 2 at the command line. Doors are real processes and connections; a door is
// left out where a proposal cannot be expressed there.
func TestEveryDoorRefusesTheSame(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("word ", n/5+1)[:n] }
	many := func(n int) (list []string) {
		for range n {
			list = append(list, "t")
		}
		return list
	}
	type proposal = winnowv1.ProposalCreated
	cases := map[string]struct {
		spoil func(*proposal)
		field string
	}{
		"no text":                {func(p *proposal) { p.Text = " \n" }, "text"},
		"text of 22 kB":          {func(p *proposal) { p.Text = long(22 << 10) }, "text"},
		"no scope":               {func(p *proposal) { p.Scope = "" }, "scope"},
		"scope without kind":     {func(p *proposal) { p.Scope = "shop" }, "scope"},
		"unknown kind":           {func(p *proposal) { p.Kind = "opinion" }, "kind"},
		"unknown origin":         {func(p *proposal) { p.Origin = "god" }, "origin"},
		"importance of 99":       {func(p *proposal) { p.Importance = 99 }, "importance"},
		"importance of -1":       {func(p *proposal) { p.Importance = -1 }, "importance"},
		"confidence of 1.5":      {func(p *proposal) { p.Confidence = 1.5 }, "confidence"},
		"confidence of -1":       {func(p *proposal) { p.Confidence = -1 }, "confidence"},
		"unknown outcome":        {func(p *proposal) { p.Outcome = "so so" }, "outcome"},
		"long description":       {func(p *proposal) { p.Description = long(2 << 10) }, "description"},
		"long section":           {func(p *proposal) { p.Section = long(300) }, "section"},
		"long category":          {func(p *proposal) { p.Category = long(300) }, "category"},
		"long title":             {func(p *proposal) { p.Title = long(300) }, "title"},
		"long session":           {func(p *proposal) { p.SessionId = long(300) }, "session_id"},
		"33 tags":                {func(p *proposal) { p.Tags = many(33) }, "tags"},
		"long tag":               {func(p *proposal) { p.Tags = []string{"short", long(300)} }, "tags[1]"},
		"33 spans":               {func(p *proposal) { p.Evidence = make([]*winnowv1.Evidence, 33) }, "evidence"},
		"long span":              {func(p *proposal) { p.Evidence = []*winnowv1.Evidence{{Text: long(5 << 10)}} }, "evidence[0].text"},
		"unknown origin of span": {func(p *proposal) { p.Evidence = []*winnowv1.Evidence{{Text: "a", Origin: "god"}} }, "evidence[0].origin"},
	}
	d := openDoors(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := &proposal{Id: publish.NewID(), Scope: "project:doors", Text: "The doors are checked alike.", ObservedAt: nil}
			c.spoil(p)
			for i, e := range p.GetEvidence() {
				if e == nil {
					p.Evidence[i] = &winnowv1.Evidence{Text: "a"}
				}
			}
			d.subject(t, p, c.field)
			d.http(t, p, c.field)
			d.mcp(t, p, c.field)
			d.cli(t, p, c.field)
		})
	}
}

// doors are the ways in of the running instance.
type doors struct {
	client *publish.Client
	js     jetstream.JetStream
	agent  *mcp.ClientSession
}

func openDoors(t *testing.T) *doors {
	t.Helper()
	cfg := run.DefaultConfig()
	cfg.StateDir = instance.Dir
	cfg, _, err := run.Locate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(cfg.NATS.URL, nats.UserInfo(cfg.NATS.User, cfg.NATS.Password), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	d := &doors{agent: stdioAgent(t)}
	if d.client, err = publish.New(nc); err != nil {
		t.Fatal(err)
	}
	if d.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(patience)); err != nil {
		t.Fatal(err)
	}
	return d
}

// subject publishes and waits for the dead letter.
func (d *doors) subject(t *testing.T, p *winnowv1.ProposalCreated, field string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	letters, err := d.js.OrderedConsumer(ctx, "DLQ", jetstream.OrderedConsumerConfig{FilterSubjects: []string{"winnow.dlq.triage"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.client.Proposal(ctx, p); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := letters.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatalf("no dead letter: %v", err)
		}
		if m.Headers().Get("ce-id") != p.GetId() {
			continue
		}
		if reason := m.Headers().Get("Winnow-Dlq-Text"); !strings.HasPrefix(reason, field+": ") {
			t.Errorf("subject: %q, want one that names %s", reason, field)
		}
		return
	}
}

// http posts the proposal and wants 422 with the field.
func (d *doors) http(t *testing.T, p *winnowv1.ProposalCreated, field string) {
	t.Helper()
	body, err := protojson.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, instance.HTTPURL+"/api/proposals", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var problem struct {
		Detail string
		Errors []struct{ Field, Remedy string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusUnprocessableEntity || len(problem.Errors) != 1 || problem.Errors[0].Field != field || problem.Errors[0].Remedy == "" {
		t.Errorf("HTTP: %d %+v, want 422 with %s", resp.StatusCode, problem, field)
	}
}

// mcp records it as a lesson, where a lesson has the field, and wants an error in
// the answer that names the argument.
func (d *doors) mcp(t *testing.T, p *winnowv1.ProposalCreated, field string) {
	t.Helper()
	argument, ok := map[string]string{
		"text": "content", "kind": "kind", "outcome": "outcome", "description": "description", "title": "title",
		"session_id": "session_id", "tags": "tags", "tags[1]": "tags",
	}[field]
	if !ok {
		return
	}
	arguments := map[string]any{"title": "Doors", "description": "When a door is checked.", "content": p.GetText(), "outcome": "success", "project": "doors"}
	for name, value := range map[string]string{
		"kind": p.GetKind(), "outcome": p.GetOutcome(), "description": p.GetDescription(), "title": p.GetTitle(), "session_id": p.GetSessionId(),
	} {
		if value != "" {
			arguments[name] = value
		}
	}
	if len(p.GetTags()) > 0 {
		arguments["tags"] = p.GetTags()
	}
	r, err := d.agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_record", Arguments: arguments})
	if err != nil {
		t.Errorf("MCP: %v, want an error in the answer", err)
		return
	}
	text, _ := json.Marshal(r.Content)
	if !r.IsError || !bytes.Contains(text, []byte(argument)) {
		t.Errorf("MCP: error %v, %s; want one that names %s", r.IsError, text, argument)
	}
}

// cli proposes it, where a flag has the field, and wants exit code 2.
func (d *doors) cli(t *testing.T, p *winnowv1.ProposalCreated, field string) {
	t.Helper()
	switch field {
	case "text", "scope", "kind", "section", "title", "session_id", "tags", "tags[1]":
	default:
		return
	}
	args := []string{
		"propose", p.GetText(), "--scope", p.GetScope(), "--kind", p.GetKind(), "--section", p.GetSection(), "--title", p.GetTitle(),
		"--session", p.GetSessionId(), "--no-wait", "--state-dir", instance.Dir,
	}
	for _, tag := range p.GetTags() {
		args = append(args, "--tag", tag)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "winnow", args...)
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != run.ExitUsage || !strings.Contains(stderr.String(), field+": ") {
		t.Errorf("command line: %v, %s; want exit code 2 and %s", err, stderr.String(), field)
	}
}
