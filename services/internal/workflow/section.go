package workflow

import (
	"fmt"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Limits of the section "Active Workflow" in a session's start, in characters (S0.44).
// A token is four characters (D27), so the section has at most 500 of them (S0.45).
const (
	SectionBudget      = 500 * 4
	sectionName        = 50
	sectionDescription = 200
	sectionLine        = 80
	sectionMemories    = 5
)

// Shown is a line of text about a workflow, with the id of its memory where it is about
// one.
type Shown struct {
	Text     string
	MemoryID string
}

// Section returns the lines of the section "Active Workflow": what the task is, how
// many memories it has, and the newest five. The limits hold whatever the texts are.
func Section(w memory.Workflow, members []memory.Memory) []Shown {
	lines := []Shown{{Text: fmt.Sprintf("- %s [%s], %s", Line(w.Name, sectionName), w.ID, counted(w.MemoryCount))}}
	if w.Description != "" {
		lines = append(lines, Shown{Text: "- " + Line(w.Description, sectionDescription)})
	}
	for i := range members[:min(len(members), sectionMemories)] {
		m := &members[i]
		lines = append(lines, Shown{Text: "- " + Line(Gist(m), sectionLine) + " [" + m.ID + "]", MemoryID: m.ID})
	}
	return lines
}

// contextLine is the most of a memory in a context, in characters.
const contextLine = 600

// Context is what is known of a workflow, within a budget.
type Context struct {
	Text      string
	MemoryIDs []string // that the text shows
	Omitted   int      // memories without room, or no longer in force
}

// ContextOf returns a workflow with its memories, newest first, in at most budget
// characters (S0.28).
func ContextOf(w memory.Workflow, members []memory.Memory, budget int) Context {
	c := Context{MemoryIDs: []string{}}
	left := budget
	add := func(line string) bool {
		n := utf8.RuneCountInString(line) + 1
		if n > left {
			return false
		}
		c.Text += line + "\n"
		left -= n
		return true
	}
	add(Line(fmt.Sprintf("Workflow: %s", w.Name), min(left, contextLine)-1))
	add(fmt.Sprintf("Status: %s, %s", w.Status, counted(w.MemoryCount)))
	if w.Description != "" {
		add(Line("Description: "+w.Description, max(1, min(left-1, MaxDescription))))
	}
	for i := range members {
		m := &members[i]
		if add("- (" + string(m.Kind) + ") " + Line(Gist(m), contextLine) + " [" + m.ID + "]") {
			c.MemoryIDs = append(c.MemoryIDs, m.ID)
		}
	}
	c.Omitted = max(0, w.MemoryCount-len(c.MemoryIDs))
	return c
}
