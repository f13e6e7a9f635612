package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/run"
)

// Issue 14: what only Winnow says of a text, it takes from nobody, at no door: no tag
// that pins or links it, and no kind and outcome that make a lesson of it. The text is
// judged without the claim.
func TestEveryDoorReadsClaimsAsClaims(t *testing.T) {
	t.Parallel()
	d := openDoors(t)
	decided := listen(t)
	const advice = "Bisecting the fixture list of `claims` finds a flaky test sooner than reading logs."
	forged := func(project string) *winnowv1.ProposalCreated {
		return &winnowv1.ProposalCreated{
			Id: publish.NewID(), Scope: "project:" + project, Text: advice, Kind: "strategy", Outcome: "success",
			Title: "Flaky tests", Description: "When a test is flaky.", Tags: []string{"pinned", "Workflow:wf_1", "flaky", "consolidated", "superseded"},
		}
	}
	events := map[string]string{} // door by event id

	p := forged("claims-subject")
	if _, err := d.client.Proposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	events[p.GetId()] = "subject"

	body, err := protojson.Marshal(forged("claims-http"))
	if err != nil {
		t.Fatal(err)
	}
	var receipt struct {
		EventID string `json:"event_id"`
	}
	resp, err := http.Post(instance.HTTPURL+"/api/proposals", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&receipt); err != nil || receipt.EventID == "" {
		t.Fatalf("HTTP: %s, %v", resp.Status, err)
	}
	events[receipt.EventID] = "HTTP"

	args := []string{"propose", advice, "--scope", "project:claims-cli", "--kind", "strategy", "--no-wait", "--json", "--state-dir", instance.Dir}
	for _, tag := range p.GetTags() {
		args = append(args, "--tag", tag)
	}
	var said struct{ Event string }
	if out, err := exec.CommandContext(t.Context(), "winnow", args...).Output(); err != nil || json.Unmarshal(out, &said) != nil {
		t.Fatalf("command line: %v, %s", err, out)
	}
	events[said.Event] = "command line"

	for len(events) > 0 {
		verdict, _ := decided()
		door, ours := events[verdict.GetEventId()]
		if !ours {
			continue
		}
		delete(events, verdict.GetEventId())
		var story struct {
			Proposal struct {
				Kind, Outcome string
				Tags          []string
			}
		}
		out, err := exec.CommandContext(t.Context(), "winnow", "why", verdict.GetProposalId(), "--json", "--state-dir", instance.Dir).Output()
		if err != nil || json.Unmarshal(out, &story) != nil {
			t.Fatalf("%s: why: %v, %s", door, err, out)
		}
		got := story.Proposal
		if got.Kind == "strategy" || got.Kind == "" || got.Outcome != "" || !slices.Equal(got.Tags, []string{"flaky"}) || verdict.GetRule() == "strategy" {
			t.Errorf("%s: stored as %+v, decided by %s; want it without the claims", door, got, verdict.GetRule())
		}
	}

	// A lesson over MCP is Winnow's own, its tags are the agent's.
	id := record(t, d.agent, map[string]any{
		"title": "Flaky tests", "description": "When a test is flaky.", "content": advice, "outcome": "success",
		"project": "claims-mcp", "session_id": "claims", "tags": p.GetTags(),
	})
	var story struct {
		Memory struct {
			Kind string
			Tags []string
		}
	}
	out, err := exec.CommandContext(t.Context(), "winnow", "why", id, "--json", "--state-dir", instance.Dir).Output()
	if err != nil || json.Unmarshal(out, &story) != nil {
		t.Fatalf("MCP: why: %v, %s", err, out)
	}
	if story.Memory.Kind != "strategy" || !slices.Equal(story.Memory.Tags, []string{"flaky"}) {
		t.Errorf("MCP: stored as %+v, want a strategy with its own tag alone", story.Memory)
	}
}

// Issue 14: the trace context of a publisher is on every event that follows from its
// own, through outbox and relay, whichever door it came by.
func TestTraceContextReachesTheVerdict(t *testing.T) {
	t.Parallel()
	d := openDoors(t)
	decided := listen(t)
	const bySubject = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	const byHTTP = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

	p := &winnowv1.ProposalCreated{Id: publish.NewID(), Scope: "project:traces", Text: "2026-11-20: `traced` moved to port 7001."}
	header, data, err := event.Encode(p, event.Options{Traceparent: bySubject, Tracestate: "vendor=secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.js.PublishMsg(t.Context(), &nats.Msg{Subject: event.SubjectProposalCreated, Header: header, Data: data}); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, instance.HTTPURL+"/api/proposals",
		bytes.NewReader([]byte(`{"scope": "project:traces", "text": "2026-11-21: `+"`traced`"+` keeps 40 connections."}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("traceparent", byHTTP)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var receipt struct {
		EventID string `json:"event_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&receipt); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{p.GetId(): bySubject, receipt.EventID: byHTTP}
	for len(want) > 0 {
		verdict, header := decided()
		trace, ours := want[verdict.GetEventId()]
		if !ours {
			continue
		}
		delete(want, verdict.GetEventId())
		if got := header.Get("traceparent"); got != trace {
			t.Errorf("the verdict on %s has the trace %q, want %q", verdict.GetEventId(), got, trace)
		}
		if got := header.Get("tracestate"); got != "" {
			t.Errorf("a publisher's tracestate %q was passed on", got)
		}
	}
}

// listen returns a function that waits for the next verdict that is published from now
// on.
func listen(t *testing.T) func() (*winnowv1.ProposalDecided, nats.Header) {
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
	verdicts, err := nc.SubscribeSync(event.SubjectProposalDecided)
	if err == nil {
		err = nc.FlushTimeout(patience)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() (*winnowv1.ProposalDecided, nats.Header) {
		m, err := verdicts.NextMsg(patience)
		if err != nil {
			t.Fatalf("no verdict: %v", err)
		}
		var verdict winnowv1.ProposalDecided
		if err := proto.Unmarshal(m.Data, &verdict); err != nil {
			t.Fatal(err)
		}
		return &verdict, m.Header
	}
}
