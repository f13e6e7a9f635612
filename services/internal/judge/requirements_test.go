package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// stored makes an active memory of the lane under test.
func stored(text string) Entry {
	return Entry{ID: "mem_1", Role: memory.RoleMemory, Text: text, Kind: memory.KindFact, Authority: memory.OriginAgent, SeenCount: 1}
}

// The first tier of the seed, condition by condition: each text meets all
// conditions of its verdict but for the one that its requirement is about.
func TestTierOneByRequirement(t *testing.T) {
	t.Parallel()
	const (
		promoted, rejected = memory.VerdictPromoted, memory.VerdictRejected
		review             = memory.VerdictNeedsReview
	)
	cases := []struct {
		requirement, text string
		stored            []Entry
		verdict           memory.Verdict
		rules             string // one of these, blank separated
	}{
		{"S3.4 dated", "2026-02-03: `wrangler` 3.2 caches builds in `.wrangler/`.", nil, promoted, "fact"},
		{"S3.4 no date", "`wrangler` 3.2 caches builds in `.wrangler/`.", nil, review, "undated"},
		{"S3.5 a tool", "2026-02-03: `wrangler` keeps its build cache for a week.", nil, promoted, "fact"},
		{"S3.5 a file", "2026-02-03: the retention of the logs is set in deploy/loki.yaml.", nil, promoted, "fact"},
		{"S3.5 a command", "2026-02-03: `make seed` fills the test database with 40 customers.", nil, promoted, "fact"},
		{"S3.5 a setting", "2026-02-03: the upload limit is 20 MB since MAX_UPLOAD_MB was raised.", nil, promoted, "fact"},
		{"S3.5 nothing", "2026-02-03: the office in the old town has moved.", nil, review, "undated"},
		{"S3.6 no conflict", "2026-02-03: `redis` listens on port 6380.", []Entry{stored("The invoices are numbered per country.")}, promoted, "fact"},
		{"S3.6 a conflict", "2026-02-03: `redis` listens on port 6380.", []Entry{stored("`redis` listens on port 6379.")}, review, "conflict"},
		{"S3.7 a preference", "2026-02-03: Mara prefers `vitest` over `jest`.", nil, review, "preference"},
		{"S3.7 an opinion", "2026-02-03: I think `vitest` is the better runner.", nil, review, "opinion"},
		{"S3.8 tool installed", "2026-02-03: installed `direnv` 2.34 on the build agents.", nil, promoted, "fact"},
		{"S3.8 config changed", "2026-02-03: `worker_connections` was raised to 4096 in `nginx.conf`.", nil, promoted, "fact"},
		{"S3.8 bug and fix", "2026-02-03: checkout returned 500 because `tax.go` divided by zero; fixed by a guard.", nil, promoted, "fact"},
		{"S3.8 service deployed", "2026-02-03: `invoice-worker` was deployed to the `prod-eu` cluster.", nil, promoted, "fact"},
		{"S3.9 a paraphrase", "The core component must be registered together with the plugin component every time.", []Entry{stored("Always register the core component alongside the plugin component.")}, rejected, "dup.near"},
		{"S3.11 Add after", "Add after the section on testing: 2026-02-03 `make seed` fills the database.", nil, rejected, "artifact"},
		{"S3.11 Replace", "Replace the entry about `redis` with: 2026-02-03 `redis` listens on 6380.", nil, rejected, "artifact"},
		{"S3.11 Expand", "Expand the section on deployment with the `prod-eu` cluster (2026-02-03).", nil, rejected, "artifact"},
		{"S3.11 Consolidate", "Consolidate the entries about `redis` into one (2026-02-03).", nil, rejected, "artifact"},
		{"S3.12 superseded record", "2026-02-03: ADR-0007 says that `sqlite` holds the sessions.", nil, rejected, "retired"},
		{"S3.12 removed tool", "2026-02-03: `karma.conf.js` starts karma with Chrome.", nil, rejected, "retired"},
		{"S3.12, D6 announced", "2026-02-03: karma was replaced by `vitest`.", nil, promoted, "fact"},
		{"S3.13, S3.16 reject wins", "- (2026-02-03)", nil, rejected, "rawdate"},
		{"S3.16 reject before promote", "2026-02-03: `redis` listens on port 6380.", []Entry{stored("2026-01-03: `redis` listens on port 6380.")}, rejected, "dup.exact"},
		{"S3.17 preference changed", "2026-02-03: Mara now prefers `pnpm` to `npm`.", nil, review, "preference"},
		{"S3.17 architectural opinion", "2026-02-03: in my opinion `kafka` would be the cleaner design.", nil, review, "opinion"},
		{"S3.17 new convention", "2026-02-03: handlers should return early, see `http.go`.", nil, review, "convention"},
		{"S3.17 hard rule", "2026-02-03: never commit to `main` directly.", nil, review, "hardrule"},
		{"S3.17 ambiguous", "Nobody is sure what the flux does.", nil, review, "undated ambiguous"},
	}
	for _, c := range cases {
		t.Run(c.requirement, func(t *testing.T) {
			t.Parallel()
			lane := testLane(t, "standard")
			lane.SetRetired([]string{"karma", "ADR-0007"})
			for _, e := range c.stored {
				lane.Upsert(e)
			}
			d, out := lane.Judge(Item{Proposal: proposal("prop_9", c.text)}, testNow)
			if d.Verdict != c.verdict || !strings.Contains(" "+c.rules+" ", " "+d.Rule+" ") {
				t.Errorf("%q: %s by %s (%s), want %s by %s", c.text, d.Verdict, d.Rule, d.Reason, c.verdict, c.rules)
			}
			if made := out.Memory != nil; made != (c.verdict == promoted) {
				t.Errorf("%q: %s, and a memory was made: %v", c.text, d.Verdict, made)
			}
		})
	}
}

// S3.3: one batch sees all four verdicts, and each moves its row.
func TestFourVerdicts(t *testing.T) {
	t.Parallel()
	lane := testLane(t, "standard")
	for i, c := range []struct {
		text    string
		verdict memory.Verdict
		state   memory.ProposalState
	}{
		{"2026-02-03: installed `direnv` 2.34 on the build agents.", memory.VerdictPromoted, memory.ProposalPromoted},
		{"- (2026-02-03)", memory.VerdictRejected, memory.ProposalRejected},
		{"Never commit to `main` directly.", memory.VerdictNeedsReview, memory.ProposalNeedsReview},
		{"* Never commit to `main` directly", memory.VerdictMerged, memory.ProposalMerged},
	} {
		d, out := lane.Judge(Item{Proposal: proposal(fmt.Sprintf("prop_%d", i), c.text)}, testNow)
		if d.Verdict != c.verdict || out.Proposal.State != c.state || out.Proposal.DecisionID != d.ID {
			t.Errorf("%q: %s by %s, row %s of %q; want %s", c.text, d.Verdict, d.Rule, out.Proposal.State, out.Proposal.DecisionID, c.verdict)
		}
	}
}

// S3.14, S3.15: of waiting proposals that overlap in one section the most
// comprehensive stays, the others end as merged with a link to it; in another
// section nothing is merged, and neither is what only touches the subject.
func TestOverlapInOneSectionIsMerged(t *testing.T) {
	t.Parallel()
	const (
		short = "Snapshot tests break on Windows line ends"
		long  = "Snapshot tests break on Windows because of line ends; `.gitattributes` with `eol=lf` keeps them stable on every runner"
		other = "Invoices are numbered per country and per year"
	)
	cases := []struct {
		name                    string
		texts                   [2]string
		sections                [2]string
		waiting, merged, target string // ids; merged empty: both wait
	}{
		{"the longer comes second", [2]string{short, long}, [2]string{"Patterns", "Patterns"}, "prop_b", "prop_a", "prop_b"},
		{"the longer comes first", [2]string{long, short}, [2]string{"Patterns", "Patterns"}, "prop_a", "prop_b", "prop_a"},
		{"another section", [2]string{short, long}, [2]string{"Patterns", "Conventions"}, "prop_a", "", ""},
		{"another subject", [2]string{short, other}, [2]string{"Patterns", "Patterns"}, "prop_a", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lane, states := testLane(t, "standard"), map[string]memory.Decision{}
			for i, id := range []string{"prop_a", "prop_b"} {
				p := proposal(id, c.texts[i])
				p.Section = c.sections[i]
				d, out := lane.Judge(Item{Proposal: p}, testNow)
				for _, one := range append([]memory.Decision{d}, out.Absorbed...) {
					states[one.ProposalID] = one
				}
			}
			if c.merged == "" {
				for id, d := range states {
					if d.Verdict != memory.VerdictNeedsReview {
						t.Errorf("%s: %s by %s, want both to wait", id, d.Verdict, d.Rule)
					}
				}
				return
			}
			if d := states[c.waiting]; d.Verdict != memory.VerdictNeedsReview || lane.rows[c.waiting] == nil {
				t.Errorf("%s: %s by %s, want it to survive", c.waiting, d.Verdict, d.Rule)
			}
			if d := states[c.merged]; d.Verdict != memory.VerdictMerged || d.Target != c.target || lane.rows[c.merged] != nil {
				t.Errorf("%s: %s by %s into %q, want it merged into %s", c.merged, d.Verdict, d.Rule, d.Target, c.target)
			}
		})
	}
}

// S3.20: every proposal that waits for a person has a recommendation and a reason.
func TestReviewHasAdviceAndReason(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Never commit to `main` directly.", "Mara prefers `vitest` over `jest`.", "I think `vitest` is nicer.",
		"Handlers should return early, see `http.go`.", "`redis` holds the sessions.", "Currently running the backfill of `orders`.",
	} {
		d := judgeOn(t, nil, text)
		if d.Verdict != memory.VerdictNeedsReview || d.Advice == "" || len(d.Reason) < 10 {
			t.Errorf("%q: %s by %s, advice %q, reason %q", text, d.Verdict, d.Rule, d.Advice, d.Reason)
		}
	}
}

// D2: the thresholds are those of the calibration, by name, until a policy
// gives a number; then exactly that number decides.
func TestPolicyGivesItsOwnPoint(t *testing.T) {
	t.Parallel()
	shipped, _, err := ShippedPolicy("standard")
	if err != nil {
		t.Fatal(err)
	}
	strict, err := ParsePolicy([]byte("name: own\nauthority: agent\nrules: [" + strings.Join(shipped.Rules, ", ") + "]\npoints: {duplicate: 0.97}\n"))
	if err != nil {
		t.Fatal(err)
	}
	measured := Lexical{}.Points()
	between := (measured.Duplicate + 0.97) / 2
	n := Neighbour{ID: "mem_1", Role: memory.RoleMemory, Similarity: between, ByWords: between, Relation: memory.RelationEqual, Words: 8}
	f := wording.Features{DateInText: "2026-02-03", Anchors: []string{"go.mod"}, Words: 8, Kind: memory.KindFact, Authority: memory.OriginAgent}
	if d := Decide(shipped, "lex-5", measured, &f, []Neighbour{n}, nil); d.Rule != "dup.near" {
		t.Errorf("%.2f on the calibration's %.2f: %s by %s, want dup.near", between, measured.Duplicate, d.Verdict, d.Rule)
	}
	if d := Decide(strict, "lex-5", measured, &f, []Neighbour{n}, nil); d.Rule == "dup.near" {
		t.Errorf("%.2f on the policy's 0.97: %s by %s", between, d.Verdict, d.Rule)
	}
}

// D4: the table stands in the order of precedence, and of two rules that match
// the earlier one decides while both are named.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	groups := []string{
		"poison", "echo.prompt echo.recall artifact rawdate retired settled dup.exact dup.near", "update", "boundary conflict", "merge",
		"remember personal fact strategy", "sensitive printed transient hardrule preference opinion convention undated ambiguous",
	}
	at := 0
	for _, r := range rules {
		for at < len(groups) && !strings.Contains(" "+groups[at]+" ", " "+r.ID+" ") {
			at++
		}
		if at == len(groups) {
			t.Fatalf("rule %s stands behind a group that it goes before", r.ID)
		}
	}
	lane := testLane(t, "standard")
	lane.SetRetired([]string{"karma"})
	text := "Add after Tools: 2026-02-03 karma was run with `karma start`."
	lane.Upsert(stored(text))
	d, _ := lane.Judge(Item{Proposal: proposal("prop_9", text)}, testNow)
	if d.Rule != "artifact" || len(d.Fired) < 2 || d.Fired[0] != "artifact" {
		t.Errorf("%s by %s, fired %v; want artifact first and dup.exact among them", d.Verdict, d.Rule, d.Fired)
	}
}

// D9: an update archives what it replaces, with its reason and its successor,
// and links to it; nothing is deleted, and no other row is changed.
func TestReplacedIsArchivedWithItsSuccessor(t *testing.T) {
	t.Parallel()
	lane := testLane(t, "standard")
	lane.Upsert(stored("The gateway uses `redis-a`."))
	d, out := lane.Judge(Item{Proposal: proposal("prop_9", "2026-02-03: the gateway moved from `redis-a` to `redis-b`.")}, testNow)
	if d.Rule != "update" || out.Memory == nil {
		t.Fatalf("%s by %s", d.Verdict, d.Rule)
	}
	if len(out.MemoryUpdates) != 1 || len(out.Links) != 1 {
		t.Fatalf("updates %v, links %v", out.MemoryUpdates, out.Links)
	}
	u, link := out.MemoryUpdates[0], out.Links[0]
	if u.ID != "mem_1" || u.State != memory.StateArchived || u.SuccessorID != out.Memory.ID || u.ArchiveReason == "" || !u.ArchivedAt.Equal(testNow) {
		t.Errorf("the old one: %+v", u)
	}
	if link != (memory.Link{Tenant: memory.DefaultTenant, From: out.Memory.ID, To: "mem_1", Kind: memory.LinkSupersedes}) {
		t.Errorf("link %+v", link)
	}
}

// D31: the time bound to the evidence dates a text, the time of publishing does
// not.
func TestDateByEvidence(t *testing.T) {
	t.Parallel()
	const text = "The upload limit is 20 MB since `MAX_UPLOAD_MB` was raised."
	for _, observed := range []bool{false, true} {
		p := proposal("prop_9", text)
		p.CreatedAt = testNow
		want := "undated"
		if observed {
			p.ObservedAt, want = testNow, "fact"
		}
		d, _ := testLane(t, "standard").Judge(Item{Proposal: p}, testNow)
		if d.Rule != want {
			t.Errorf("observed %v: %s by %s, want %s", observed, d.Verdict, d.Rule, want)
		}
		if !json.Valid(d.Features) {
			t.Errorf("features %s", d.Features)
		}
	}
}
