package workflow

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Limits of a summary, in characters: a line (S0.29), and all of it, which is 500
// tokens.
const (
	maxSummaryLine = 200
	maxSummary     = 2000
)

// Summary returns what a workflow brought, without a model: the start of each memory in
// force, grouped by kind, the newest first (S0.29). count is the number of all its
// memories; what has no room, and what is no longer in force, is counted.
func Summary(count int, members []memory.Memory) string {
	if count == 0 {
		return "Completed without a memory."
	}
	text := counted(count) + "."
	var kinds []memory.Kind
	groups := map[memory.Kind][]string{}
	for i := range members {
		m := &members[i]
		if len(groups[m.Kind]) == 0 {
			kinds = append(kinds, m.Kind)
		}
		groups[m.Kind] = append(groups[m.Kind], "- "+Line(Gist(m), maxSummaryLine))
	}
	slices.SortStableFunc(kinds, func(x, y memory.Kind) int { return rank(x) - rank(y) })
	shown := 0
	const rest = 40 // characters for the last line
	for _, kind := range kinds {
		head := "\n" + heading(kind) + ":"
		for _, line := range groups[kind] {
			if utf8.RuneCountInString(text+head+"\n"+line) > maxSummary-rest {
				continue
			}
			text, head = text+head+"\n"+line, ""
			shown++
		}
	}
	if left := count - shown; left > 0 && shown > 0 {
		text += fmt.Sprintf("\n… and %d not shown.", left)
	}
	return text
}

// Gist returns what is shown of a memory in one line.
func Gist(m *memory.Memory) string {
	if m.Title != "" {
		return m.Title + ": " + m.Text
	}
	return m.Text
}

// rank is the place of a kind among the groups.
func rank(k memory.Kind) int {
	if at := slices.Index(memory.Kinds(), k); at >= 0 {
		return at
	}
	return len(memory.Kinds())
}

// heading names a group.
func heading(k memory.Kind) string {
	switch k {
	case memory.KindStrategy:
		return "Strategies"
	case "":
		return "Notes"
	}
	return strings.ToUpper(string(k[:1])) + string(k[1:]) + "s"
}

func counted(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

// Line returns the start of a text as one line of at most most characters, the cut
// marked.
func Line(text string, most int) string {
	text = strings.Join(strings.Fields(memory.Visible(text)), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
