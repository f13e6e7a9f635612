package review

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/winnowhq/winnow/services/ops"
)

// SPEC §13: a key does one thing, and Enter accepts only what is preselected.
func TestKeys(t *testing.T) {
	t.Parallel()
	first := ops.Item{Advice: ops.ActionPromote, Preselect: true}
	agents := ops.Item{Advice: ops.ActionReject}
	unclear := ops.Item{Advice: "review"}
	offer := ops.Item{Advice: "review", Merges: []string{"a", "b"}}
	for _, c := range []struct {
		item ops.Item
		key  string
		want string
	}{
		{first, "enter", ops.ActionPromote}, {first, "y", ops.ActionPromote}, {first, "n", ops.ActionReject},
		{agents, "enter", ""}, {agents, "y", ops.ActionReject}, {agents, "p", ops.ActionPromote},
		{unclear, "enter", ""}, {unclear, "y", ""}, {unclear, "p", ops.ActionPromote},
		{offer, "y", ops.ActionPromote}, {offer, "enter", ""},
		{first, "x", ""}, {first, "P", ""}, {first, "", ""},
	} {
		if got := answerOf(c.key, c.item).Action; got != c.want {
			t.Errorf("%q for advice %s: action %q, want %q", c.key, c.item.Advice, got, c.want)
		}
	}
}

// The screen ends with a key that means something, and an interrupt ends it without one.
func TestQuestionEnds(t *testing.T) {
	t.Parallel()
	q := question{item: ops.Item{Advice: "review"}, at: 1, of: 4}
	for key, quits := range map[tea.KeyPressMsg]bool{
		{Code: 'p', Text: "p"}: true, {Code: 's', Text: "s"}: true, {Code: 'q', Text: "q"}: true,
		{Code: 'y', Text: "y"}: false, {Code: tea.KeyEnter}: false, {Code: 'u', Text: "u"}: false,
	} {
		after, cmd := q.Update(key)
		if got := cmd != nil; got != quits {
			t.Errorf("%q ends the question: %v, want %v", key, got, quits)
		}
		if got := after.(question).key; (got != "") != quits {
			t.Errorf("%q is taken as %q", key, got)
		}
	}
	after, cmd := q.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	if _, interrupts := cmd().(tea.InterruptMsg); !interrupts || after.(question).key != "" {
		t.Error("Ctrl-C does not interrupt")
	}
}

// A card fits its terminal, shows what would be stored and what is stored today, and no
// stranger's text steers the terminal.
func TestCard(t *testing.T) {
	t.Parallel()
	item := ops.Item{
		ID: "prop_01", Section: "Notes", Scope: "project:shop", Advice: "replace", Reason: "another value for the same port",
		Text:    "checkout listens on 8081 " + strings.Repeat("and a long explanation follows ", 9) + "\x1b[2J\x1b]0;owned\x07",
		Against: "checkout listens on 8080", From: "an agent's statement (coding-agent)",
	}
	for _, width := range []int{0, 20, 60, 80, 400} {
		text := card(item, 1, 4, width)
		limit := min(max(width, narrowCard), widestCard)
		if width == 0 {
			limit = usualWidth
		}
		for line := range strings.Lines(text) {
			if got := ansi.StringWidth(strings.TrimRight(line, "\n ")); got > limit {
				t.Errorf("width %d: a line of %d columns: %q", width, got, line)
			}
		}
		bare := ansi.Strip(text)
		for _, want := range []string{"1 of 4", "project:shop", "8081", "stored today:", "8080", "recommended: replace"} {
			if !strings.Contains(strings.Join(strings.Fields(bare), " "), want) {
				t.Errorf("width %d: %q is missing in\n%s", width, want, bare)
			}
		}
		if strings.Contains(text, "\x1b[2J") || strings.Contains(text, "\x07") || strings.Contains(text, "\x1b]") {
			t.Errorf("width %d: the text steers the terminal: %q", width, text)
		}
	}
}
