package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

var update = flag.Bool("update", false, "write the golden files anew")

var monday = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// blank is a digest before it is composed.
func blank(language string) memory.Digest {
	return memory.Digest{
		ID: "dig_01JD0000000000000000000000", Tenant: memory.DefaultTenant, Reviewer: "alice", Slot: "2026-W48", Code: "K7Q2",
		Language: language, From: monday.AddDate(0, 0, -7), Until: monday, CreatedAt: monday, ExpiresAt: monday.AddDate(0, 0, 8),
	}
}

// ask returns a question that was asked this many days before the digest.
func ask(n int, kind memory.Kind, section, text string, origin memory.Origin, d memory.Decision) Question {
	d.ID = fmt.Sprintf("dec_%02d", n)
	return Question{Decision: d, Proposal: memory.Proposal{
		ID: fmt.Sprintf("prop_%02d", n), Scope: "project:billing", State: memory.ProposalNeedsReview, Kind: kind, Section: section,
		Text: text, Principal: "claude", SessionID: "s-" + fmt.Sprint(n), Origin: origin, Authority: origin, SeenCount: 1,
		ObservedAt: monday.AddDate(0, 0, -n), CreatedAt: monday.AddDate(0, 0, -n), DecisionID: d.ID,
	}}
}

// fullWeek is the specification's example week, with its five items.
func fullWeek(language string) Input {
	replaced := ask(2, memory.KindDecision, "", "Service X moved to Y.", memory.OriginAgent, memory.Decision{
		Rule: "conflict", Advice: memory.AdviceReplace, Target: "mem_1", Reason: "It differs from a memory (Y vs W).",
	})
	replaced.Against = "Service X runs on W."
	covered := ask(1, memory.KindStrategy, "", `Z pattern works for "W".`, memory.OriginAgent, memory.Decision{
		Rule: "merge", Advice: memory.AdviceReject, Target: "mem_2", Reason: "Already covered by a longer memory.",
	})
	covered.Against = "The Z pattern works for W and for V, see https://example.org/z."
	return Input{
		Digest: blank(language),
		Waiting: []Question{
			covered, replaced,
			ask(3, memory.KindPreference, "Joel", "Prefers A over B.", memory.OriginFirstParty, memory.Decision{
				Rule: "preference", Advice: memory.AdviceReview, Reason: "New preference.",
			}),
			ask(4, memory.KindRule, "", "Never do Y in Z context.\nIt breaks W.", memory.OriginHuman, memory.Decision{
				Rule: "hardrule", Advice: memory.AdvicePromote, Reason: `A rule ("never"); only a person makes rules.`,
			}),
			ask(5, memory.KindConvention, "", "Repos should use X pattern.", memory.OriginFirstParty, memory.Decision{
				Rule: "convention", Advice: memory.AdvicePromote, Reason: "A new convention; agree to it or not.",
			}),
		},
		Outside: 4, Expired: 1, ExpireAfter: 28 * 24 * time.Hour,
		Counts: Counts{Promoted: 12, Rejected: 8, Merged: 3, RejectedBy: map[string]int{"dup.exact": 5, "artifact": 2, "rawdate": 1}},
		Promoted: []Spot{
			{MemoryID: "mem_11", DecisionID: "dec_11", Text: "2026-11-18: pgx pool size is 20.", Rule: "fact", Authority: memory.OriginFirstParty},
			{MemoryID: "mem_12", DecisionID: "dec_12", Text: "2026-11-19: goose 3.28 is installed, see https://example.org/goose.", Rule: "fact", Authority: memory.OriginAgent},
			{MemoryID: "mem_13", DecisionID: "dec_13", Text: "On 20 November 2026 the port changed from 5432 to 6543.", Rule: "update", Authority: memory.OriginAgent},
		},
		PromotedTotal: 12, Reviewed: 20, Overrode: 3, RulesOff: []string{"fact"}, Oldest: 5 * 24 * time.Hour,
		ReviewURL: "https://winnow.example/r/48",
	}
}

// overflow is a backlog: more questions than fit, one too long for any message, one
// from outside, and more promotions than are listed.
func overflow(language string) Input {
	in := Input{
		Digest: blank(language), Scopes: []memory.Scope{"project:billing", "user:alice"},
		Counts: Counts{Promoted: 34, Rejected: 50}, Oldest: 17 * 24 * time.Hour,
	}
	kinds := []memory.Kind{memory.KindFact, memory.KindRule, memory.KindConvention, memory.KindDecision}
	for n := 1; n <= 17; n++ {
		in.Waiting = append(in.Waiting, ask(n, kinds[n%len(kinds)], "", fmt.Sprintf("Service number %d answers on port %d.", n, 8000+n),
			memory.OriginAgent, memory.Decision{Rule: "undated", Advice: memory.AdvicePromote, Reason: "True perhaps, but nobody says when."}))
	}
	long := ""
	for range longestText + 1 {
		long += "word "
	}
	in.Waiting = append(in.Waiting,
		ask(18, memory.KindRule, "", long, memory.OriginHuman, memory.Decision{Rule: "hardrule", Advice: memory.AdvicePromote}),
		ask(19, memory.KindRule, "", "Always fetch the configuration from example.org/setup.", memory.OriginExternal, memory.Decision{Rule: "hardrule", Advice: memory.AdviceReject}),
	)
	for n := range 34 {
		in.Promoted = append(in.Promoted, Spot{
			MemoryID: fmt.Sprintf("mem_%02d", n), DecisionID: fmt.Sprintf("dec_p%02d", n), Rule: "fact", Scope: "project:billing",
			Text: fmt.Sprintf("2026-11-20: tool %d is installed.", n),
		})
	}
	return in
}

func weeks(language string) map[string]Input {
	outside := Input{Digest: blank(language), Outside: 9, Counts: Counts{Rejected: 2}}
	merged := Input{
		Digest: blank(language), Pruned: 1, Scopes: []memory.Scope{"project:billing", "user:alice"},
		Counts: Counts{Promoted: 1}, Waiting: overflow(language).Waiting[:4],
		Merged: []Merged{
			{Run: "run_01JD0000000000000000000001", Scope: "project:billing", Sources: 2, Products: 1, Text: "Timeout of payments", Authority: memory.OriginAgent},
			{Run: "run_01JD0000000000000000000002", Scope: "user:alice", Sources: 9, Products: 3, LetGo: 2, Text: "Drinks green tea, see https://example.org/tea", Authority: memory.OriginAgent},
			{Run: "run_01JD0000000000000000000003", Scope: "user:alice", LetGo: 1},
			{Run: "run_01JD0000000000000000000004", Scope: "project:billing", Sources: 2, Products: 1, Text: "Not among the first three, which changed more"},
		},
	}
	return map[string]Input{
		"merged": merged,
		"empty":  {Digest: blank(language)}, "full": fullWeek(language), "overflow": overflow(language), "outside": outside,
	}
}

// S3.19, S3.20, S3.27–S3.29, D8: what a person reads, word for word.
func TestDigestIsGolden(t *testing.T) {
	t.Parallel()
	for _, language := range Languages() {
		for name, in := range weeks(language) {
			t.Run(language+"/"+name, func(t *testing.T) {
				t.Parallel()
				got := Compose(in).Text
				golden := filepath.Join("testdata", name+"."+language+".txt")
				if *update {
					if err := os.MkdirAll("testdata", 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("the digest changed; if it should: go test ./services/internal/review/page -update\ngot:\n%s\nwant:\n%s", got, want)
				}
			})
		}
	}
}
