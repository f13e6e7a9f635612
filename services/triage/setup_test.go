package triage

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

const testScope = memory.Scope("project:shop")

// counter gives ids that sort by the order of their making.
func counter() func(string) string {
	n := 0
	return func(prefix string) string { n++; return fmt.Sprintf("%s%026d", prefix, n) }
}

func testLane(t testing.TB, policy string) *Lane {
	t.Helper()
	p, _, err := ShippedPolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	return NewLane(LaneConfig{
		Tenant: memory.DefaultTenant, Scope: testScope, Policy: p, Similarity: Lexical{}, Analyzer: NewAnalyzer(), NewID: counter(),
	})
}

func proposal(id, text string) memory.Proposal {
	return memory.Proposal{
		ID: id, Tenant: memory.DefaultTenant, Scope: testScope, Text: text, Principal: "agent-1",
		Origin: memory.OriginAgent, Authority: memory.OriginAgent,
	}
}

var testNow = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
