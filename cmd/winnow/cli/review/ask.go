package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

// decider carries answers out. The operations of a session are one.
type decider interface {
	Decide(ctx context.Context, id string, answer ops.Answer) (ops.Answered, error)
	Undo(ctx context.Context, id string, cascade bool) (ops.Undone, error)
}

// ask shows one item after the other and carries out the answers. An interrupt ends it
// silently; what was answered before stays answered.
func ask(ctx context.Context, a *command.App, d decider, items []ops.Item) error {
	var last ops.Answered   // may be taken back …
	lastAt, decided := 0, 0 // … and this is the item it answered
	for at := 0; at < len(items); {
		item := items[at]
		key, err := readKey(ctx, a, question{item: item, at: at + 1, of: len(items), undo: last.Decision != ""})
		if err != nil {
			return err
		}
		answer := answerOf(key, item)
		switch key {
		case keyQuit:
			a.Say("%d decided, %d left", decided, len(items)-decided)
			return nil
		case keySkip:
			at++
			continue
		case keyUndo:
			if _, err := d.Undo(ctx, last.Decision, false); err != nil {
				return err
			}
			a.Say("taken back: %s", last.Proposal)
			last, decided, at = ops.Answered{}, decided-1, lastAt
			continue
		case keyEdit:
			text, err := edited(ctx, a, item)
			if errors.Is(err, huh.ErrUserAborted) || text == "" {
				continue // the question again
			}
			if err != nil {
				return fmt.Errorf("edit: %w", err)
			}
			answer = ops.Answer{Action: ops.ActionPromote, Text: text}
		}
		done, err := d.Decide(ctx, item.ID, answer)
		if err != nil {
			return err
		}
		printAnswered(ops.Plain(a.Out), done)
		last, lastAt, decided, at = done, at, decided+1, at+1
	}
	a.Say("%d decided, %d left", decided, len(items)-decided)
	return nil
}

// edited lets the person change the text of an item.
func edited(ctx context.Context, a *command.App, item ops.Item) (string, error) {
	text := ops.PlainText(item.Text)
	field := huh.NewText().Title("The text that is stored, as written by you").Value(&text).CharLimit(0)
	err := huh.NewForm(huh.NewGroup(field)).WithInput(a.In).WithOutput(a.Out).RunWithContext(ctx)
	return strings.TrimSpace(text), err
}

// readKey shows a question and returns the first key that means something.
func readKey(ctx context.Context, a *command.App, q question) (string, error) {
	end, err := tea.NewProgram(q, tea.WithContext(ctx), tea.WithInput(a.In), tea.WithOutput(a.Out)).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) {
		return "", context.Canceled
	}
	if err != nil {
		return "", fmt.Errorf("ask: %w", err)
	}
	answered, _ := end.(question)
	return answered.key, nil
}

// Keys of an answer.
const (
	keyYes     = "y"
	keyEnter   = "enter"
	keyPromote = "p"
	keyReject  = "n"
	keyEdit    = "e"
	keySkip    = "s"
	keyUndo    = "u"
	keyQuit    = "q"
)

// question is one item on the screen, until a key answers it. It implements [tea.Model].
type question struct {
	item   ops.Item
	at, of int
	undo   bool // there is an answer to take back
	width  int  // columns of the terminal, 0 before it said so
	key    string
}

// Init implements [tea.Model].
func (question) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (q question) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		q.width = msg.Width
	case tea.KeyPressMsg:
		key := msg.String()
		if key == "ctrl+c" {
			return q, tea.Interrupt
		}
		if q.means(key) {
			q.key = key
			return q, tea.Quit
		}
	}
	return q, nil
}

// means reports whether a key answers the question. Enter accepts only what is preselected,
// because a person presses it without reading.
func (q question) means(key string) bool {
	switch key {
	case keyUndo:
		return q.undo
	case keyEdit, keySkip, keyQuit:
		return true
	}
	return answerOf(key, q.item).Action != ""
}

// View implements [tea.Model].
func (q question) View() tea.View {
	v := card(q.item, q.at, q.of, q.width)
	if q.key == "" {
		v += "\n  " + helpLine(q.item, q.undo) + "\n"
	}
	return tea.NewView(v)
}

// recommended returns the action of the advice, or none when only the person can
// decide.
func recommended(item ops.Item) string {
	switch string(item.Advice) {
	case ops.ActionPromote, ops.ActionReject, ops.ActionReplace:
		return string(item.Advice)
	}
	return ""
}

// answerOf returns the answer of a key; its action is empty for a key that gives none.
func answerOf(key string, item ops.Item) (answer ops.Answer) {
	switch key {
	case keyEnter:
		if item.Preselect {
			answer.Action = recommended(item)
		}
	case keyYes, "j":
		if answer.Action = recommended(item); len(item.Merges) > 0 {
			answer.Action = ops.ActionPromote
		}
	case keyPromote:
		answer.Action = ops.ActionPromote
	case keyReject:
		answer.Action = ops.ActionReject
	}
	return answer
}
