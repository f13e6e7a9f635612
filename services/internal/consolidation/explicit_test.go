package consolidation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// S0.69: ids that a person names are merged whatever their similarity, and never
// against the rules of a merge.
func TestExplicit(t *testing.T) {
	t.Parallel()
	g, err := consolidation.Explicit(fan(90, 0), 20)
	if err != nil || strings.Join(g.Members, " ") != "mem_a mem_b" || g.Mode != consolidation.ModeMerge {
		t.Fatalf("%+v (%v)", g, err)
	}
	for name, c := range map[string]struct {
		change func(list []consolidation.Candidate)
		want   string
	}{
		"archived":   {func(l []consolidation.Candidate) { l[1].State = memory.StateArchived }, "archived"},
		"scope":      {func(l []consolidation.Candidate) { l[1].Scope = "project:other" }, "scope"},
		"outcome":    {func(l []consolidation.Candidate) { l[1].Outcome = "failure" }, "outcome"},
		"kind":       {func(l []consolidation.Candidate) { l[1].Kind = memory.KindRule }, "kind"},
		"trust":      {func(l []consolidation.Candidate) { l[1].Authority = memory.OriginExternal }, "trust"},
		"own source": {func(l []consolidation.Candidate) { l[1].Sources = []string{"mem_a"} }, "made of"},
		"summary":    {func(l []consolidation.Candidate) { l[0].Kind, l[1].Kind = memory.KindSummary, memory.KindSummary }, "memory_summarize"},
		"one twice":  {func(l []consolidation.Candidate) { l[1].ID = l[0].ID }, "want 2 to 20"},
		"contradiction": {func(l []consolidation.Candidate) {
			l[0].Text, l[1].Text = "checkout listens on 8080", "checkout listens on 8081"
		}, "contradicts"},
		"siblings": {func(l []consolidation.Candidate) {
			l[0].Text, l[1].Text = "checkout listens on 8080", "billing listens on 8081"
		}, "two things"},
	} {
		list := fan(0, 0)
		c.change(list)
		if _, err := consolidation.Explicit(list, 20); !errors.Is(err, consolidation.ErrApart) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
