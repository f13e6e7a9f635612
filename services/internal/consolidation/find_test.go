package consolidation_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// angle returns a vector of the plane; the cosine of two is that of their difference.
func angle(degrees float64) []float32 {
	sine, cosine := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cosine), float32(sine)}
}

// note returns an active fact, with a vector at the angle.
func note(id, text string, degrees float64) consolidation.Candidate {
	return consolidation.Candidate{
		Memory: memory.Memory{
			ID: "mem_" + id, Tenant: memory.DefaultTenant, Scope: "project:shop", State: memory.StateActive, Kind: memory.KindFact,
			Section: "Notes", Text: text, Importance: 5, Confidence: 0.8, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			CreatedAt: t0, LastConfirmed: t0, SeenCount: 1, Version: 1,
		},
		Vector: angle(degrees),
	}
}

// unlike are texts that have no word in common, for tests of vectors alone.
var unlike = []string{
	"The harbour crane lifts forty tonnes.", "Lisbon trams climb steep alleys.", "Rye bread keeps longer.", "Owls hunt at dusk.",
	"Violins need rosin.", "Glaciers carve valleys.", "Copper roofs turn green.", "Salt lowers freezing points.",
}

// fan returns notes a, b, c, … at the given angles.
func fan(degrees ...float64) []consolidation.Candidate {
	var list []consolidation.Candidate
	for i, d := range degrees {
		list = append(list, note(string(rune('a'+i)), unlike[i], d))
	}
	return list
}

// given is the configuration of a caller who chose the threshold.
func given(threshold float64) consolidation.Config {
	c := consolidation.DefaultConfig(threshold, 0.97, true)
	c.Given = true
	return c
}

func find(t testing.TB, list []consolidation.Candidate, c consolidation.Config) consolidation.Plan {
	t.Helper()
	plan, err := consolidation.Find(t.Context(), list, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// shown writes a plan's groups as "merge:a b(c) theme:d e".
func shown(p consolidation.Plan) string {
	var out []string
	for _, g := range p.Groups {
		s := string(g.Mode) + ":" + strings.Join(g.Members, " ")
		if len(g.Copies) > 0 {
			s += "(" + strings.Join(g.Copies, " ") + ")"
		}
		out = append(out, strings.ReplaceAll(s, "mem_", ""))
	}
	return strings.Join(out, ", ")
}

// S4.86, D1: above .8 merged, below separate, exactly at it separate too.
func TestThresholdIsStrict(t *testing.T) {
	t.Parallel()
	// Rounded to float32 the cosine of these two is exactly .8.
	exact := fan(0, 0)
	exact[0].Vector, exact[1].Vector = []float32{1, 0}, []float32{4, 3}
	for _, c := range []struct {
		name string
		list []consolidation.Candidate
		want string
	}{
		{"above", fan(0, 36), "merge:a b"},
		{"below", fan(0, 38), ""},
		{"exactly", exact, ""},
		{"only the similar ones", fan(0, 20, 120), "merge:a b"},
	} {
		if got := shown(find(t, c.list, given(0.8))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// S4.42: .87, .84 and .89 make an average of .87 and a least of .84.
func TestStatistics(t *testing.T) {
	t.Parallel()
	list := fan(0, 0, 0)
	// Rows of a matrix whose products are the three similarities.
	b2 := math.Sqrt(1 - .87*.87)
	c2 := (.89 - .87*.84) / b2
	c3 := math.Sqrt(1 - .84*.84 - c2*c2)
	list[0].Vector = []float32{1, 0, 0}
	list[1].Vector = []float32{.87, float32(b2), 0}
	list[2].Vector = []float32{.84, float32(c2), float32(c3)}
	plan := find(t, list, given(0.8))
	if len(plan.Groups) != 1 {
		t.Fatalf("%q, want one group", shown(plan))
	}
	if g := plan.Groups[0]; math.Abs(g.Average-(.87+.84+.89)/3) > 1e-6 || math.Abs(g.Minimum-.84) > 1e-6 {
		t.Errorf("average %.4f, least %.4f; want .8667 and .84", g.Average, g.Minimum)
	}
}

// D13, S0.56: what differs in any of these is never compared.
func TestNeverMixes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*memory.Memory){
		"tenant":          func(m *memory.Memory) { m.Tenant = "other" },
		"scope":           func(m *memory.Memory) { m.Scope = "project:other" },
		"global scope":    func(m *memory.Memory) { m.Scope = "org:acme" },
		"outcome":         func(m *memory.Memory) { m.Outcome = "failure" },
		"kind":            func(m *memory.Memory) { m.Kind = memory.KindDecision },
		"origin":          func(m *memory.Memory) { m.Origin = memory.OriginExternal },
		"authority":       func(m *memory.Memory) { m.Authority = memory.OriginUnknown },
		"above agent":     func(m *memory.Memory) { m.Origin, m.Authority = memory.OriginFirstParty, memory.OriginFirstParty },
		"archived":        func(m *memory.Memory) { m.State = memory.StateArchived },
		"a topic summary": func(m *memory.Memory) { m.Kind = memory.KindSummary },
	} {
		list := fan(0, 0)
		list[1].Text = list[0].Text
		if got := shown(find(t, list, given(0.8))); got != "merge:a(b)" {
			t.Fatalf("the case is no case: %q", got)
		}
		change(&list[1].Memory)
		if got := shown(find(t, list, given(0.8))); got != "" {
			t.Errorf("%s: %q, want nothing", name, got)
		}
	}
	both := fan(0, 10)
	both[0].Origin, both[0].Authority = memory.OriginHuman, memory.OriginHuman
	both[1].Origin, both[1].Authority = memory.OriginFirstParty, memory.OriginFirstParty
	if got := shown(find(t, both, given(0.8))); got != "merge:a b" {
		t.Errorf("a person's and a first party's: %q, want one group", got)
	}
}

// SPEC §6, D12: siblings and contradictions are never in one group, however similar
// their vectors are, and the plan says why.
func TestGuardKeepsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		why  consolidation.Reason
	}{
		{"checkout listens on 8080", "billing listens on 8081", consolidation.ApartSubject},
		{"Priya has write access to the deploy repository.", "Tomasz has write access to the deploy repository.", consolidation.ApartSubject},
		{"checkout listens on 8080", "checkout listens on 8081", consolidation.ApartConflict},
		{"Timestamps are stored in UTC.", "Timestamps are stored in local time.", consolidation.ApartConflict},
		{"The nightly backup is encrypted.", "The nightly backup is not encrypted.", consolidation.ApartConflict},
		{
			"The gateway was rewritten in spring. The retry limit of the mailer is 5.",
			"Ops moved to a new pager. The retry limit of the mailer is 9. Nobody misses the old one.", consolidation.ApartConflict,
		},
	} {
		for _, config := range []consolidation.Config{given(0.8), consolidation.DefaultConfig(0.7, 0.9, true), {Threshold: 0.8, Given: true, MinCluster: 2, MaxMembers: 20, Clustering: consolidation.ClusteringGreedy}} {
			plan := find(t, []consolidation.Candidate{note("a", c.a, 0), note("b", c.b, 1)}, config)
			if len(plan.Groups) > 0 || len(plan.Apart) != 1 || plan.Apart[0].Why != c.why {
				t.Errorf("%q and %q: %q, apart %+v; want apart by %s", c.a, c.b, shown(plan), plan.Apart, c.why)
			}
		}
	}
}

// D3: without a caller's threshold the engine acts only on what words prove; the rest
// is offered.
func TestEngineActsOnProofOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b, want string
	}{
		{"the same, written differently", "The pool of `billing` holds 20 connections.", "- the pool of billing holds 20 connections", "merge:a(b)"},
		{"one contains the other", "The pool of `billing` holds 20 connections.", "The pool of `billing` holds 20 connections since the March load test in `k6`.", "merge:a b"},
		{"one theme", "The pool of `billing` holds 20 connections.", "Slow queries of `billing` are logged from 200 ms on.", "theme:a b"},
	} {
		plan := find(t, []consolidation.Candidate{note("a", c.a, 0), note("b", c.b, 10)}, consolidation.DefaultConfig(0.7, 0.9, false))
		if got := shown(plan); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// S0.53: the newest are examined; S0.54: those without a vector are counted; S0.57: a
// group has the least size.
func TestLimits(t *testing.T) {
	t.Parallel()
	list := fan(0, 10, 20, 120)
	for i := range list {
		list[i].CreatedAt = t0.Add(time.Duration(i) * time.Hour)
	}
	c := given(0.8)
	c.MaxMemories = 3
	if plan := find(t, list, c); shown(plan) != "merge:b c" || plan.Truncated != 1 || plan.Examined != 3 {
		t.Errorf("the newest three: %q, %d truncated, %d examined", shown(plan), plan.Truncated, plan.Examined)
	}
	c = given(0.8)
	c.MinCluster = 4
	if got := shown(find(t, list, c)); got != "" {
		t.Errorf("at least four: %q", got)
	}
	c = given(0.8)
	c.Now, c.MaxAge = t0.Add(3*time.Hour), 2*time.Hour
	if got := shown(find(t, list, c)); got != "merge:b c" {
		t.Errorf("of the last two hours: %q", got)
	}
	list[0].Vector = nil
	if plan := find(t, list, given(0.8)); shown(plan) != "merge:b c" || plan.WithoutVector != 1 {
		t.Errorf("without a vector: %q, %d counted", shown(plan), plan.WithoutVector)
	}
	list = fan(0, 10, 100, 110)
	c = given(0.8)
	c.MaxClusters = 1
	if plan := find(t, list, c); shown(plan) != "merge:a b" || plan.Waiting != 1 {
		t.Errorf("one cluster: %q, %d waiting", shown(plan), plan.Waiting)
	}
	for _, list := range [][]consolidation.Candidate{nil, fan(0), fan(0, 90)} {
		if plan := find(t, list, given(0.8)); len(plan.Groups) != 0 {
			t.Errorf("%d memories: %q, want nothing", len(list), shown(plan))
		}
	}
}

// D14: groups have at most twenty members; S4.41: the predecessors' algorithm can be
// chosen, and takes what is similar to its first.
func TestClusteringCanBeChosen(t *testing.T) {
	t.Parallel()
	list := fan(0, 29, 60)
	if got := shown(find(t, list, given(0.8))); got != "merge:a b" {
		t.Errorf("complete link: %q", got)
	}
	list = fan(30, 0, 60)
	c := given(0.8)
	c.Clustering = consolidation.ClusteringGreedy
	if got := shown(find(t, list, c)); got != "merge:a b c" {
		t.Errorf("greedy: %q", got)
	}
	var many []consolidation.Candidate
	for i := range 45 {
		many = append(many, note(fmt.Sprintf("%02d", i), fmt.Sprintf("%s %s", unlike[i%len(unlike)], strings.Repeat("x", i+3)), float64(i)/10))
	}
	for _, g := range find(t, many, given(0.8)).Groups {
		if len(g.Members) > 20 {
			t.Errorf("a group of %d", len(g.Members))
		}
	}
}

// D13: a consolidated memory is not taken again with what its run had seen, nor ever
// with its own sources.
func TestRunsTwice(t *testing.T) {
	t.Parallel()
	list := fan(0, 10, 20)
	made := list[0]
	made.ID, made.Text, made.Tags, made.CreatedAt = "mem_z", "Made of others.", []string{consolidation.TagConsolidated}, t0.Add(time.Hour)
	if got := shown(find(t, []consolidation.Candidate{made, list[1]}, given(0.8))); got != "" {
		t.Errorf("with an older one: %q", got)
	}
	newer := list[2]
	newer.CreatedAt = t0.Add(2 * time.Hour)
	if got := shown(find(t, []consolidation.Candidate{made, list[1], newer}, given(0.8))); got != "merge:b c z" {
		t.Errorf("with a newer one: %q", got)
	}
	made.Sources = []string{newer.ID}
	if got := shown(find(t, []consolidation.Candidate{made, newer}, given(0.8))); got != "" {
		t.Errorf("with its own source, restored: %q", got)
	}
}

// A group is offered once: not while the question is open, and not after a no.
func TestOffersOnce(t *testing.T) {
	t.Parallel()
	list := []consolidation.Candidate{
		note("a", "The pool of `billing` holds 20 connections.", 0), note("b", "Slow queries of `billing` are logged from 200 ms on.", 5),
		note("c", "Reports of `billing` run at night.", 10),
	}
	c := consolidation.DefaultConfig(0.7, 0.9, true)
	if got := shown(find(t, list, c)); got != "theme:a b c" {
		t.Fatalf("%q", got)
	}
	for _, o := range []struct {
		offered consolidation.Offered
		want    string
	}{
		{consolidation.Offered{Members: []string{"mem_a", "mem_x"}}, ""},
		{consolidation.Offered{Members: []string{"mem_a", "mem_b", "mem_c"}, Declined: true}, ""},
		{consolidation.Offered{Members: []string{"mem_a", "mem_b"}, Declined: true}, ""},
		{consolidation.Offered{Members: []string{"mem_a", "mem_x"}, Declined: true}, "theme:a b c"},
	} {
		c.Offered = []consolidation.Offered{o.offered}
		if got := shown(find(t, list, c)); got != o.want {
			t.Errorf("after %+v: %q, want %q", o.offered, got, o.want)
		}
	}
}

// A configuration that cannot be used is refused, with every reason.
func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	_, err := consolidation.Find(t.Context(), nil, nil, consolidation.Config{Threshold: 1, MinCluster: 1, Clustering: "magic", MaxAge: time.Hour})
	for _, want := range []string{"similarity_threshold", "min_cluster_size", "clustering", "max_age"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if err := consolidation.DefaultConfig(0.7, 0.9, true).Validate(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(consolidation.Group{Members: []string{"b"}, Copies: []string{"a"}}.Sources(), []string{"a", "b"}) {
		t.Error("sources are not sorted")
	}
}

// What a person took back is not merged again.
func TestUndoneStaysApart(t *testing.T) {
	t.Parallel()
	c := given(0.8)
	c.Undone = [][]string{{"mem_a", "mem_b"}}
	plan := find(t, fan(0, 10, 20), c)
	if got := shown(plan); got != "merge:b c" || len(plan.Apart) != 1 || plan.Apart[0].Why != consolidation.ApartUndone {
		t.Errorf("%q, apart %+v", got, plan.Apart)
	}
	c.Clustering = consolidation.ClusteringGreedy
	if got := shown(find(t, fan(0, 10, 20), c)); got != "merge:a c" {
		t.Errorf("greedy: %q", got)
	}
}
