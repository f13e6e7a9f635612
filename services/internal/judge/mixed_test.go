package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// statement is a text with others that say the same, that say something else in
// nearly the same words, and that are on the same subject.
type statement struct {
	Text               string
	Same, Edited, Near []string
}

// tally counts the verdicts on proposals beside one stored text: refused as its
// duplicates, and shown to a person with it.
type tally struct{ refused, shown, all int }

// judgeAgainst judges each text in a lane that holds only the other.
func judgeAgainst(t *testing.T, a *wording.Analyzer, n *tally, stored string, texts []string) {
	t.Helper()
	lane := laneBy(t, "standard", a)
	lane.Upsert(Entry{ID: "mem_1", Role: memory.RoleMemory, Text: stored, Kind: memory.KindFact, Authority: memory.OriginAgent})
	for i, text := range texts {
		p := proposal(fmt.Sprintf("prop_%d", i), text)
		d, _ := lane.Judge(Item{Proposal: p}, testNow)
		lane.Remove(p.ID)
		n.all++
		switch {
		case strings.HasPrefix(d.Rule, "dup."):
			n.refused++
		case d.Target == "mem_1":
			n.shown++
		}
	}
}

// D2, D3, S3.31: meaning beside words finds no fewer repeats, shows more of them
// to a person, and refuses fewer texts that say something else. The statements
// were written by us for this.
func TestMeaningFindsMoreAndErrsLess(t *testing.T) {
	t.Parallel()
	measure := func(a *wording.Analyzer) (same, edited, near tally) {
		for _, s := range testenv.Lines[statement](t, "testdata/paraphrases.jsonl") {
			judgeAgainst(t, a, &same, s.Text, s.Same)
			judgeAgainst(t, a, &edited, s.Text, s.Edited)
			judgeAgainst(t, a, &near, s.Text, s.Near)
			for _, other := range s.Same {
				judgeAgainst(t, a, &edited, other, s.Edited)
			}
		}
		t.Logf("%s: paraphrases %+v, edits %+v, same subject %+v", SimilarityOf(a).ID(), same, edited, near)
		return same, edited, near
	}
	wordSame, wordEdited, wordNear := measure(wording.NewAnalyzer())
	same, edited, near := measure(embedding())
	if same.refused < wordSame.refused || same.refused+same.shown < wordSame.refused+wordSame.shown {
		t.Errorf("of the paraphrases %+v, by words alone %+v", same, wordSame)
	}
	if edited.refused >= wordEdited.refused || near.refused > wordNear.refused {
		t.Errorf("wrongly refused: edits %+v, by words %+v; same subject %+v, by words %+v", edited, wordEdited, near, wordNear)
	}
}

// D3: nothing is refused, merged or updated by vectors without the proof of words.
func TestMeaningNeverActs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := Neighbour{
			ID: "mem_1", Role: memory.RoleMemory, Relation: memory.RelationEqual, Words: 8, SameSection: true,
			Similarity: rapid.Float64Range(0.62, 1).Draw(r, "similarity"), ByWords: rapid.Float64Range(0, 0.34).Draw(r, "by words"),
		}
		f := wording.Features{Words: 8, Kind: memory.KindFact, Authority: memory.OriginAgent, Origin: memory.OriginAgent, DateInText: "2026-03-01", Anchors: []string{"redis"}, Observed: true}
		policy, _, _ := ShippedPolicy("standard")
		d := Decide(policy, MixedID, Mixed{}.Points(), &f, []Neighbour{n}, nil)
		if d.Verdict != memory.VerdictNeedsReview || d.Advice != memory.AdviceReject || d.Target != "mem_1" {
			r.Fatalf("%s by %s, advice %q", d.Verdict, d.Rule, d.Advice)
		}
	})
}

// S3.31: without the table words decide, and the decision says so.
func TestDecisionNamesWhatCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a          *wording.Analyzer
		id, source string
	}{{wording.NewAnalyzer(), "lex-5", "lexical"}, {embedding(), "mix-5", "both"}} {
		d, _ := laneBy(t, "standard", c.a).Judge(Item{Proposal: proposal("prop_1", notes[0])}, testNow)
		if d.Calibration != c.id || d.Inputs.Similarity != c.source {
			t.Errorf("%q compared by %q, want %q by %q", d.Calibration, d.Inputs.Similarity, c.id, c.source)
		}
		if s, ok := SimilarityByID(embedding(), c.id); !ok || s.ID() != c.id {
			t.Errorf("%s cannot be derived again", c.id)
		}
	}
	if _, ok := SimilarityByID(wording.NewAnalyzer(), MixedID); ok {
		t.Error("mix-5 without vectors")
	}
}

// The signs of the vectors find what a scan of the vectors themselves finds.
func TestSketchesFindTheNearest(t *testing.T) {
	t.Parallel()
	lane, texts := laneBy(t, "standard", embedding()), testenv.Lines[statement](t, "testdata/paraphrases.jsonl")
	for i, s := range texts {
		lane.Upsert(Entry{ID: fmt.Sprintf("mem_%d", i), Role: memory.RoleMemory, Text: s.Text, Authority: memory.OriginAgent})
	}
	found, all := 0, 0
	for _, s := range texts {
		for _, same := range s.Same {
			q := embedding().Text(same)
			nearest, best := (*row)(nil), minCosine
			for _, r := range lane.rows {
				if c := vector.Cosine(q.Vector, r.text.Vector); c > best {
					nearest, best = r, c
				}
			}
			if nearest == nil {
				continue
			}
			all++
			if slices.Contains(lane.closest(q), nearest) {
				found++
			}
		}
	}
	t.Logf("%d of %d", found, all)
	if all < 50 || found*100 < all*95 {
		t.Errorf("%d of %d nearest texts found, want 95 %%", found, all)
	}
	lane.Remove("mem_0")
	if got := lane.closest(embedding().Text(texts[0].Text)); slices.ContainsFunc(got, func(r *row) bool { return r.ID == "mem_0" }) {
		t.Error("a removed text was found")
	}
}
