package merge

import (
	"fmt"
	"slices"
	"strings"
)

// Concatenate joins the sources without a model (S0.59).
func Concatenate(sources []Source) string {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b Source) int { return strings.Compare(a.ID, b.ID) })
	var b strings.Builder
	fmt.Fprintf(&b, "## Consolidated from %d memories", len(sorted))
	for i := range sorted {
		b.WriteString("\n\n")
		b.WriteString(strings.TrimSpace(sorted[i].Text))
	}
	return b.String()
}
