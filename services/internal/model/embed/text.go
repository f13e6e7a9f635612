package embed

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Text is the one text by which a memory is embedded for every purpose: title,
// description and content, in this order, a line each (D23). The seeds embedded
// title and description here, title and content there; two vectors of one
// memory would make its distance to others depend on who asks.
//
// A part that the next one begins with is left out, because a title is often
// the first words of the content, and saying them twice would weigh them twice.
func Text(m memory.Memory) string {
	return join(m.Title, m.Description, m.Text)
}

// ProposalText is the same for a text that is not yet a memory, so that a
// proposal and the memory that it becomes have one vector.
func ProposalText(p memory.Proposal) string {
	return join(p.Title, "", p.Text)
}

func join(parts ...string) string {
	var b strings.Builder
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" || repeated(part, parts[i+1:]) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(part)
	}
	return b.String()
}

// repeated says whether the next part that has text begins with this one.
func repeated(part string, rest []string) bool {
	for _, next := range rest {
		if next = strings.TrimSpace(next); next != "" {
			return strings.HasPrefix(next, part)
		}
	}
	return false
}
