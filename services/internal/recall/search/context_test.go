package search_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// The answer stands in the turn after the question, and shares no word with it.
func TestSpreadBringsInNeighbours(t *testing.T) {
	t.Parallel()
	neighbours := func(id string) []string {
		return map[string][]string{"t1": {"t2"}, "t2": {"t1", "t3"}, "t3": {"t2"}}[id]
	}
	o := search.DefaultOptions()
	o.ContextShare = 0.5
	got := search.Spread(search.Fuse(vector.Lists{Lexical: list("t1", 8.0, "x", 2.0)}, o), neighbours, o)
	if ids(got) != "t1 t2 x" {
		t.Errorf("got %s, want the turn after t1 before x", ids(got))
	}
	if got[1].Fused != 0.5 || got[0].Fused != 1 {
		t.Errorf("got %+v; a share of a share must not come back", got)
	}
}

func TestSpreadWithoutNeighbours(t *testing.T) {
	t.Parallel()
	o := search.DefaultOptions()
	ranked := search.Fuse(vector.Lists{Lexical: list("a", 8.0, "b", 2.0)}, o)
	if got := search.Spread(ranked, nil, o); ids(got) != "a b" || got[1].Fused != 0.25 {
		t.Errorf("got %+v", got)
	}
}
