package judge

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Where [matters] is false, no rule of any policy reads whether a word was exchanged.
func TestExchangedWordMatters(t *testing.T) {
	t.Parallel()
	var policies []*Policy
	for _, name := range PolicyNames() {
		p, _, err := ShippedPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	// At and around the points, most of them where nothing is looked for.
	share := rapid.SampledFrom([]float64{0, 0.2, 0.33, 0.34, 0.35, 0.5, 0.59, 0.6, 0.61, 0.8, 0.92})
	low := rapid.SampledFrom([]float64{0, 0.33, 0.34, 0.35})
	seen := 0
	check := func(r *rapid.T) {
		p := rapid.SampledFrom(policies).Draw(r, "policy")
		f := wording.Features{
			Kind: memory.KindFact, Authority: memory.OriginAgent, Origin: memory.OriginAgent, DateInText: "2026-02-03",
			Anchors: []string{"nginx"}, Works: true, Observed: true, Words: 9, ObservedAt: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC),
		}
		byWords := low.Draw(r, "by words")
		n := Neighbour{
			ID: "mem_1", Role: rapid.SampledFrom([]memory.CandidateRole{memory.RoleMemory, memory.RoleOpen, memory.RoleSettled, memory.RoleBoot, memory.RoleServed}).Draw(r, "role"),
			ByWords: byWords, Similarity: max(byWords, share.Draw(r, "similarity")), Forward: share.Draw(r, "forward"), Backward: share.Draw(r, "backward"),
			Topic: share.Draw(r, "topic"), Words: rapid.IntRange(0, 6).Draw(r, "words"), Kind: memory.KindFact, Authority: memory.OriginAgent,
			Relation: rapid.SampledFrom([]memory.Relation{
				memory.RelationEqual, memory.RelationContained, memory.RelationSuperset, memory.RelationComplement, memory.RelationConflict,
			}).Draw(r, "relation"),
			Subject:     rapid.SampledFrom([]subject.Relation{subject.Same, subject.Unclear}).Draw(r, "subject"),
			SameSection: rapid.Bool().Draw(r, "section"), Foreign: rapid.IntRange(0, 3).Draw(r, "foreign") == 0, Denies: rapid.Bool().Draw(r, "denies"),
			Weaker: rapid.Bool().Draw(r, "weaker"), Statement: rapid.Bool().Draw(r, "statement"), Against: rapid.Bool().Draw(r, "against"),
		}
		points := p.with(Mixed{}.Points())
		n.Reworded = n.Similarity > points.Duplicate && n.ByWords <= points.Duplicate && n.ByWords > points.Cluster && rapid.Bool().Draw(r, "reworded")
		s := scored{Score: Score{Score: lexical.Score{Similarity: n.Similarity, Forward: n.Forward, Backward: n.Backward, Topic: n.Topic}, ByWords: n.ByWords}}
		if matters(&s, points) {
			return
		}
		seen++
		exchanged := n
		exchanged.Substituted = true
		decide := func(n Neighbour) memory.Decision {
			return Decide(p, MixedID, Mixed{}.Points(), &f, []Neighbour{n}, nil)
		}
		if a, b := decide(n), decide(exchanged); !reflect.DeepEqual(a, b) {
			r.Fatalf("%s: %s %q without an exchanged word, %s %q with one: %+v", p.Name, a.Rule, a.Fired, b.Rule, b.Fired, n)
		}
		st := settings{policy: p, points: points}
		if absorbs(&st, &f, &n) != absorbs(&st, &f, &exchanged) {
			r.Fatalf("%s: absorbs or not by an exchanged word: %+v", p.Name, n)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		for range 40 { // a case that could differ is one in a hundred
			check(r)
		}
	})
	if seen == 0 {
		t.Error("no case without a rule that asks was drawn")
	}
}
