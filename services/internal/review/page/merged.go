package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Merged is what one run did without a person since the last digest. All of it can be
// taken back.
type Merged struct {
	Run   string // id, by which it is taken back
	Scope memory.Scope
	// Sources memories became Products; LetGo were archived and nothing replaces them.
	Sources, Products, LetGo int
	// Text is one of the new memories, empty for none.
	Text      string
	Authority memory.Origin // of Text; decides whether links are shown as links
}

// A run is one line, and there are few of them: a person reads which memories changed
// where it matters to them, with winnow runs show.
const (
	mostMerged    = 3
	longestMerged = 12
)

// mergedLines returns the line that counts what runs merged, archived or pruned, and
// the first of the runs with what takes them back. The count stands in every digest;
// as many runs follow as p.mergedShown allows.
func (p *page) mergedLines() []string {
	var sum Merged
	for _, m := range p.in.Merged {
		sum.Sources, sum.Products, sum.LetGo = sum.Sources+m.Sources, sum.Products+m.Products, sum.LetGo+m.LetGo
	}
	var out []string
	if sum.Sources+sum.LetGo > 0 {
		out = append(out, fmt.Sprintf(p.words.merged, p.became(sum)))
	}
	runs := byWeight(p.in.Merged)
	for _, m := range runs[:min(p.mergedShown, len(runs))] {
		line := "- " + p.scope(m.Scope) + p.became(m)
		if m.Text != "" {
			into := p.words.mergedInto
			if m.Products == 1 {
				into = p.words.mergedOne
			}
			line += fmt.Sprintf(into, clip(shown(m.Text, m.Authority), longestMerged))
		}
		out = append(out, line+fmt.Sprintf(p.words.mergedUndo, m.Run))
	}
	if n := p.in.Pruned; n > 0 {
		out = append(out, p.words.pruned.of(n))
	}
	return out
}

// became says how many memories became how many.
func (p *page) became(m Merged) string {
	switch {
	case m.Sources == 0:
		return p.words.letGo.of(m.LetGo)
	case m.LetGo == 0:
		return fmt.Sprintf(p.words.became, m.Sources, m.Products)
	}
	return fmt.Sprintf(p.words.became, m.Sources, m.Products) + ", " + p.words.letGo.of(m.LetGo)
}

// byWeight returns the runs that changed most first; of equal ones the newest.
func byWeight(list []Merged) []Merged {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Merged) int {
		return cmp.Or(cmp.Compare(b.Sources+b.LetGo, a.Sources+a.LetGo), cmp.Compare(b.Run, a.Run))
	})
	return list
}
