package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

type everyday struct {
	Name, Stored, Text, Origin, Scope, Policy, Verdict, Why string
	Observed                                                time.Time
	Rules                                                   []string
}

// S3.4–S3.17, D3, D4: cases of a working week, each verdict argued in one
// sentence in the file.
func TestEverydayCases(t *testing.T) {
	t.Parallel()
	for _, c := range testenv.Lines[everyday](t, "testdata/everyday.jsonl") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			byBoth(t, func(t *testing.T, a *wording.Analyzer) {
				d := c.judge(t, a)
				if len(c.Rules) > 0 && !slices.Contains(c.Rules, d.Rule) || c.Verdict != "" && string(d.Verdict) != c.Verdict {
					t.Errorf("%q was %s by %s (%s), want %s by one of %v: %s", c.Text, d.Verdict, d.Rule, d.Reason, c.Verdict, c.Rules, c.Why)
				}
			})
		})
	}
}

// S3.4, S3.7, S3.17: dated notes that name a tool. Most are an opinion, a norm, a
// plan or an order worded as a fact, and wait for a person. The others are events
// and are promoted.
func TestTraps(t *testing.T) {
	t.Parallel()
	for _, c := range testenv.Lines[everyday](t, "testdata/traps.jsonl") {
		if d := c.judge(t, embedding()); string(d.Verdict) != c.Verdict {
			t.Errorf("%q was %s by %s (%s), want %s", c.Text, d.Verdict, d.Rule, d.Reason, c.Verdict)
		}
	}
}

func (c *everyday) judge(t *testing.T, a *wording.Analyzer) memory.Decision {
	t.Helper()
	policy := c.Policy
	if policy == "" {
		policy = "standard"
	}
	lane := laneBy(t, policy, a)
	if c.Stored != "" {
		lane.Upsert(Entry{ID: "mem_stored", Role: memory.RoleMemory, Text: c.Stored, Kind: memory.KindFact, Authority: memory.OriginAgent, ObservedAt: c.Observed, SeenCount: 1})
	}
	p := proposal("prop_new", c.Text)
	if c.Origin != "" {
		origin, err := memory.ParseOrigin(c.Origin)
		if err != nil {
			t.Fatal(err)
		}
		p.Origin, p.Authority = origin, origin
	}
	if c.Scope != "" {
		p.Scope = memory.Scope(c.Scope)
	}
	d, _ := lane.Judge(Item{Proposal: p}, testNow)
	return d
}

// SPEC §6 `sensitive`: a person confirms what lowers a protection or changes a source
// of trust, however factual. Changes in the safe direction are promoted.
func TestLoweredProtection(t *testing.T) {
	t.Parallel()
	for _, c := range testenv.Lines[everyday](t, "testdata/sensitive.jsonl") {
		d := c.judge(t, embedding())
		if string(d.Verdict) != c.Verdict {
			t.Errorf("%q was %s by %s (%s), want %s: %s", c.Text, d.Verdict, d.Rule, d.Reason, c.Verdict, c.Why)
		}
	}
}

// SPEC §6 `sensitive`: the rule asks a person about the words of everybody below one,
// and of a lesson too; what a person says themselves is kept.
func TestLoweredProtectionByWhom(t *testing.T) {
	t.Parallel()
	const text = "2026-02-17: TLS verification is off in `client.yaml`."
	for origin, want := range map[memory.Origin]memory.Verdict{
		memory.OriginAgent: memory.VerdictNeedsReview, memory.OriginFirstParty: memory.VerdictNeedsReview, memory.OriginHuman: memory.VerdictPromoted,
	} {
		for _, kind := range []memory.Kind{"", memory.KindStrategy} {
			p := proposal("prop_new", text)
			p.Origin, p.Authority, p.Kind = origin, origin, kind
			if d, _ := testLane(t, "standard").Judge(Item{Proposal: p}, testNow); d.Verdict != want {
				t.Errorf("from %s as %q: %s by %s, want %s", origin, kind, d.Verdict, d.Rule, want)
			}
		}
	}
}
