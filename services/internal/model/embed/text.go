package embed

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Text returns the one text by which a memory is embedded for every purpose: title,
// description and content, in this order, a line each (D23). The predecessors embedded
// title and description in one place, title and content in another; with two vectors
// for one memory its distance to others would depend on the caller.
//
// A part that the next part begins with is left out, because a title is often the first
// words of the content, and a repeat would count them twice.
func Text(m memory.Memory) string {
	return join(m.Title, m.Description, m.Text)
}

// ProposalText is [Text] for a proposal, so that a proposal and the memory that it
// becomes have one vector.
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

// repeated reports whether the next non-empty part begins with this one.
func repeated(part string, rest []string) bool {
	for _, next := range rest {
		if next = strings.TrimSpace(next); next != "" {
			return strings.HasPrefix(next, part)
		}
	}
	return false
}
