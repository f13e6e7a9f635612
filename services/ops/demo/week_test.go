package demo_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// registry is the part of registry.yaml that triage reads.
type registry struct {
	Retired []struct {
		Term  string
		Scope string
	}
	BootFiles  []struct{ Name, Text string } `yaml:"boot_files"`
	Principals []struct{ ID, Highest string }
}

// The seed's own scene (S3.36): about 50 of 88 rejected, about 25 promoted, about
// 13 for a person. The bands are wide enough for a rule to be improved and narrow
// enough that the demo still shows what it says.
func TestWeekSortsLikeTheScene(t *testing.T) {
	t.Parallel()
	verdicts, sources := map[memory.Verdict]int{}, map[memory.Verdict][]string{}
	for _, d := range judgeWeek(t) {
		verdicts[d.Verdict]++
		sources[d.Verdict] = append(sources[d.Verdict], fmt.Sprintf("%s (%s)", d.ProposalID, d.Rule))
		t.Logf("%s\t%s\t%s\t%s", d.ProposalID, d.Verdict, d.Rule, d.Reason)
	}
	for _, band := range []struct {
		verdict  memory.Verdict
		from, to int
	}{
		{memory.VerdictRejected, 40, 50},
		{memory.VerdictPromoted, 22, 28},
		{memory.VerdictMerged, 3, 7},
		{memory.VerdictNeedsReview, 9, 14},
		{memory.VerdictQuarantined, 1, 1},
	} {
		if n := verdicts[band.verdict]; n < band.from || n > band.to {
			t.Errorf("%s: %d of 88, want %d to %d: %s", band.verdict, n, band.from, band.to, strings.Join(sources[band.verdict], ", "))
		}
	}
}

// judgeWeek judges the week in order, each scope in its own lane, and returns
// the final decision on every proposal.
func judgeWeek(t *testing.T) []memory.Decision {
	t.Helper()
	var reg registry
	if err := yaml.Unmarshal(read(t, "registry.yaml"), &reg); err != nil {
		t.Fatal(err)
	}
	highest := map[string]memory.Origin{}
	for _, p := range reg.Principals {
		o, err := memory.ParseOrigin(p.Highest)
		if err != nil {
			t.Fatal(err)
		}
		highest[p.ID] = o
	}
	lanes := lanesOf(t, reg)

	var order []string
	last := map[string]memory.Decision{}
	for i, line := range lines(t, "week.jsonl") {
		p, principal := proposal(t, line)
		origin, ok := highest[principal]
		if !ok {
			t.Fatalf("%s: principal %q is not in registry.yaml", p.ID, principal)
		}
		if p.Origin != memory.OriginUnknown {
			origin, _ = memory.Clamp(p.Origin, origin)
		}
		p.Principal, p.Origin, p.Authority = principal, origin, origin
		d, out := lanes(p.Scope).Judge(judge.Item{Proposal: p}, p.CreatedAt.Add(time.Duration(i)*time.Second))
		order, last[p.ID] = append(order, p.ID), d
		for _, a := range out.Absorbed {
			last[a.ProposalID] = a
		}
	}
	out := make([]memory.Decision, 0, len(order))
	for _, id := range order {
		out = append(out, last[id])
	}
	return out
}

// lanesOf returns a function from a scope to its lane, filled with the memories
// of the scope.
func lanesOf(t *testing.T, reg registry) func(memory.Scope) *judge.Lane {
	t.Helper()
	var ids int
	lanes := map[memory.Scope]*judge.Lane{}
	laneOf := func(scope memory.Scope) *judge.Lane {
		if l := lanes[scope]; l != nil {
			return l
		}
		policy, _, err := judge.ShippedPolicy(judge.DefaultPolicyName(scope.Kind()))
		if err != nil {
			t.Fatal(err)
		}
		l := judge.NewLane(judge.LaneConfig{
			Tenant: memory.DefaultTenant, Scope: scope, Policy: policy,
			Similarity: judge.Lexical{}, Analyzer: wording.NewAnalyzer(),
			NewID: func(prefix string) string { ids++; return fmt.Sprintf("%s%026d", prefix, ids) },
		})
		var terms []string
		for _, r := range reg.Retired {
			if r.Scope == "" || r.Scope == string(scope) {
				terms = append(terms, r.Term)
			}
		}
		l.SetRetired(terms)
		var boot []memory.BootFile
		for _, b := range reg.BootFiles {
			boot = append(boot, memory.BootFile{ID: b.Name, Name: b.Name, Text: b.Text})
		}
		l.SetBoot(boot)
		lanes[scope] = l
		return l
	}
	for i, line := range lines(t, "memories.jsonl") {
		var m struct {
			Scope               memory.Scope
			Section, Kind, Text string
			Origin              memory.Origin
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("memories.jsonl:%d: %v", i+1, err)
		}
		if _, err := memory.ParseScope(string(m.Scope)); err != nil {
			t.Fatalf("memories.jsonl:%d: %v", i+1, err)
		}
		laneOf(m.Scope).Upsert(judge.Entry{
			ID: fmt.Sprintf("memory-%02d", i+1), Role: memory.RoleMemory, Text: m.Text, Kind: memory.Kind(m.Kind),
			Section: m.Section, Authority: m.Origin, SeenCount: 1,
		})
	}
	return laneOf
}

// proposal parses a line: a ProposalCreated in JSON and its principal.
func proposal(t *testing.T, line []byte) (memory.Proposal, string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		t.Fatal(err)
	}
	var principal string
	if err := json.Unmarshal(fields["principal"], &principal); err != nil {
		t.Fatal(err)
	}
	delete(fields, "principal")
	rest, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var msg winnowv1.ProposalCreated
	if err := protojson.Unmarshal(rest, &msg); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	p := memory.Proposal{
		ID: msg.GetId(), Tenant: memory.DefaultTenant, Scope: memory.Scope(msg.GetScope()), Text: msg.GetText(),
		Section: msg.GetSection(), Kind: memory.Kind(msg.GetKind()), SessionID: msg.GetSessionId(),
		CreatedAt: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC),
	}
	if msg.GetObservedAt() != nil {
		p.ObservedAt = msg.GetObservedAt().AsTime()
	}
	if msg.GetOrigin() != "" {
		if p.Origin, err = memory.ParseOrigin(msg.GetOrigin()); err != nil {
			t.Fatal(err)
		}
	}
	return p, principal
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func lines(t *testing.T, name string) [][]byte {
	t.Helper()
	var out [][]byte
	for s := bufio.NewScanner(bytes.NewReader(read(t, name))); s.Scan(); {
		out = append(out, bytes.Clone(s.Bytes()))
	}
	return out
}
