package memoryfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Lines that are not entries.
const (
	headLines    = 3 // title, blank, comment
	sectionLines = 3 // blank, heading, blank
	moreLines    = 2 // blank, "… and 3 more"
)

// maxUnshown is how many sections without a single line in MEMORY.md get a pointer
// each; the others share one topic file. A file that is loaded at every start must not
// fill up with pointers.
const maxUnshown = 8

// sharedTopic is the file of those sections.
const sharedTopic = "topics/other.md"

// plan holds which items of which sections a file shows.
type plan struct {
	sections []section
	shown    [][]Item // by section, in the order of reading
	path     []string // by section, where the others are; nil when all are shown
}

// choose returns a plan that fills the budget with the most valuable items.
func choose(sections []section, budget int) *plan {
	if budget == 0 {
		budget = DefaultBudget
	}
	budget = max(budget, MinBudget)
	p := &plan{sections: sections, shown: make([][]Item, len(sections)), path: make([]string, len(sections))}
	type candidate struct {
		Item
		section int
	}
	var all []candidate
	lines := headLines
	for i, s := range sections {
		lines += sectionLines
		for _, item := range s.items {
			lines += height(item)
			all = append(all, candidate{item, i})
		}
	}
	if lines <= budget {
		for i, s := range sections {
			p.shown[i] = s.items
		}
		return p
	}
	slices.SortFunc(all, func(a, b candidate) int { return value(a.Item, b.Item) })
	t := tally{rows: make([]int, len(sections)), left: make([]int, len(sections))}
	for i, s := range sections {
		t.left[i] = len(s.items)
	}
	for _, c := range all {
		// A long entry that does not fit is skipped in favour of shorter ones.
		if t.put(c.section, height(c.Item)); t.lines() > budget {
			t.show(c.section, height(c.Item))
			continue
		}
		p.shown[c.section] = append(p.shown[c.section], c.Item)
	}
	for i := range p.shown {
		slices.SortFunc(p.shown[i], reading)
	}
	p.address()
	return p
}

// tally counts the lines of a file while it fills up.
type tally struct {
	rows []int // lines of the shown items, by section
	left []int // items that are not shown, by section
}

func (t *tally) put(section, height int) {
	t.rows[section] += height
	t.left[section]--
}

func (t *tally) show(section, height int) {
	t.rows[section] -= height
	t.left[section]++
}

func (t *tally) lines() int {
	n, unshown := headLines, 0
	for i := range t.rows {
		switch {
		case t.rows[i] == 0:
			unshown++
		case t.left[i] > 0:
			n += sectionLines + t.rows[i] + moreLines
		default:
			n += sectionLines + t.rows[i]
		}
	}
	if unshown > 0 {
		n += 1 + min(unshown, maxUnshown+1)
	}
	return n
}

// address sets the topic file of every section that is not shown completely.
func (p *plan) address() {
	unshown := 0
	for i, s := range p.sections {
		if len(p.shown[i]) == 0 {
			unshown++
		}
		if len(p.shown[i]) == 0 && unshown > maxUnshown {
			p.path[i] = sharedTopic
		} else if len(p.shown[i]) < len(s.items) {
			p.path[i] = "topics/" + slug(s.name) + ".md"
		}
	}
}

// rest returns the items of a section that are not shown, in the order of reading.
func (p *plan) rest(i int) []Item {
	var out []Item
	shown := p.shown[i]
	for _, item := range p.sections[i].items {
		if len(shown) > 0 && reading(shown[0], item) == 0 {
			shown = shown[1:]
			continue
		}
		out = append(out, item)
	}
	return out
}

// write returns the file.
func (p *plan) write(title, note string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n<!-- %s -->\n", title, note)
	for i, s := range p.sections {
		if len(p.shown[i]) == 0 {
			continue
		}
		b.WriteByte('\n')
		if s.name != "" {
			fmt.Fprintf(&b, "## %s\n\n", s.name)
		}
		bullets(&b, p.shown[i])
		if n := len(s.items) - len(p.shown[i]); n > 0 {
			fmt.Fprintf(&b, "\n… and %d more: [%[2]s](%[2]s)\n", n, p.path[i])
		}
	}
	p.unshown(&b)
	return b.Bytes()
}

// unshown writes pointers to the sections of which nothing is shown.
func (p *plan) unshown(b *bytes.Buffer) {
	shared, lines := 0, strings.Builder{}
	for i, s := range p.sections {
		switch {
		case len(p.shown[i]) > 0:
		case p.path[i] == sharedTopic:
			shared += len(s.items)
		default:
			name := s.name
			if name == "" {
				name = "this file"
			}
			fmt.Fprintf(&lines, "… and %d more in %s: [%[3]s](%[3]s)\n", len(s.items), name, p.path[i])
		}
	}
	if shared > 0 {
		fmt.Fprintf(&lines, "… and %d more in other sections: [%[2]s](%[2]s)\n", shared, sharedTopic)
	}
	if lines.Len() > 0 {
		b.WriteByte('\n')
		b.WriteString(lines.String())
	}
}

// slug returns a section as a file name. Sections that differ only in characters that a
// name cannot have share a file, where each has its heading.
func slug(section string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(section) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "section"
}
