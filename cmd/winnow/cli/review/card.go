package review

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/winnowhq/winnow/services/ops"
)

// Widths of a card, in columns. A terminal that does not say how wide it is gets the usual
// one; above the widest, lines are hard to read.
const (
	usualWidth  = 80
	widestCard  = 100
	narrowCard  = 40
	cardPadding = 2
)

// style holds the looks of a card. lipgloss leaves the colours out for a terminal that has
// none and with NO_COLOR.
var style = struct{ head, label, text, stored, advice, key lipgloss.Style }{
	head:   lipgloss.NewStyle().Bold(true),
	label:  lipgloss.NewStyle().Faint(true),
	text:   lipgloss.NewStyle().Foreground(lipgloss.Color("6")),
	stored: lipgloss.NewStyle().Foreground(lipgloss.Color("3")),
	advice: lipgloss.NewStyle().Bold(true),
	key:    lipgloss.NewStyle().Bold(true),
}

// card returns an item as a person reads it: where it stands among all, the exact text that
// would be stored, what is stored already, the advice with its reason, and who said it.
// Every line fits into width columns. Texts are made plain before: a stranger's text must
// not steer the terminal.
func card(item ops.Item, at, of, width int) string {
	if width <= 0 {
		width = usualWidth
	}
	width = max(narrowCard, min(width, widestCard)) - cardPadding
	var b strings.Builder
	line := func(s lipgloss.Style, indent int, text string) {
		text = ops.PlainText(text)
		b.WriteString(lipgloss.NewStyle().PaddingLeft(indent).Width(width).Render(s.Render(wrapped(text, width-indent))) + "\n")
	}
	line(style.head, 0, fmt.Sprintf("%d of %d · %s · %s", at, of, item.Section, item.Scope))
	b.WriteString("\n")
	line(style.text, cardPadding, item.Text)
	if item.Against != "" {
		b.WriteString("\n")
		line(style.label, cardPadding, "stored today:")
		line(style.stored, cardPadding, item.Against)
	}
	if len(item.Merges) > 0 {
		b.WriteString("\n")
		line(style.label, cardPadding, fmt.Sprintf("would stand for these %d:", len(item.Merges)))
		for _, title := range item.Merges {
			line(style.stored, cardPadding, "· "+title)
		}
	}
	b.WriteString("\n")
	line(style.advice, cardPadding, fmt.Sprintf("recommended: %s (%s)", item.Advice, item.Reason))
	line(style.label, cardPadding, item.From)
	line(style.label, cardPadding, item.ID)
	return b.String()
}

// wrapped breaks a text into lines of at most width columns, between words where it can.
func wrapped(text string, width int) string { return lipgloss.Wrap(text, width, " ") }

// helpLine names the keys, the recommended one first.
func helpLine(item ops.Item, undo bool) string {
	keys := []string{}
	add := func(key, what string) { keys = append(keys, style.key.Render(key)+" "+what) }
	if action := recommended(item); action != "" {
		key := "y"
		if item.Preselect {
			key = "Enter"
		}
		add(key, action)
	}
	if recommended(item) != ops.ActionPromote {
		add("p", "promote")
	}
	if recommended(item) != ops.ActionReject {
		add("n", "reject")
	}
	add("e", "edit")
	add("s", "skip")
	if undo {
		add("u", "undo")
	}
	add("q", "quit")
	return strings.Join(keys, "  ")
}
