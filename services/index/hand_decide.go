package index

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

// plan is what an edit of a scope's files by hand comes to.
type plan struct {
	Proposed  []memoryfile.Entry // judged like anything that a person says
	Late      []memoryfile.Entry // so are these; what they would have edited is out of service
	Edited    []edited           // reworded, or moved under another heading
	Archived  []string           // memories whose entry is gone
	Withdrawn []string           // proposals that waited and whose entry is gone
	Withheld  int                // entries that are gone and come back: too many at once
}

// edited is a memory that a person gave other words or another heading.
type edited struct{ ID, Text, Section string }

// A person takes out a line or two; a file that lost more than this, and more
// than a fifth of what it had, was truncated, emptied or merged badly.
const (
	fewRemoved   = 5
	removedShare = 5
)

// decide reads an edit. A new entry is a proposal, unless it says what is known.
// One with other words edits its memory, unless it now says what somebody should
// do: whoever can write a file is not proven to be a person, and a new rule takes
// a look. One that is gone archives its memory, which can be undone.
func decide(c memoryfile.Changes, k known) plan {
	var p plan
	for _, entry := range c.Removed {
		if id, ok := k.proposal(entry); ok {
			p.Withdrawn = append(p.Withdrawn, id)
		} else if m, ok := k.memory(entry); ok {
			p.Archived = append(p.Archived, m.ID)
		}
	}
	if n := len(p.Archived); n > fewRemoved && n*removedShare > len(k.memories) {
		p.Archived, p.Withheld = nil, n
	}
	for _, entry := range c.Added {
		if _, here := k.memory(entry); !here {
			p.propose(entry, k)
		}
	}
	for _, changed := range c.Changed {
		// Where a file was cut off, so was its last entry.
		if p.Withheld == 0 || !strings.HasPrefix(changed.Before.Text, changed.After.Text) {
			p.reword(changed, k)
		}
	}
	return p
}

// propose adds a proposal for an entry, unless it waits as one already.
func (p *plan) propose(entry memoryfile.Entry, k known) {
	if _, waits := k.proposal(entry); !waits {
		p.Proposed = append(p.Proposed, entry)
	}
}

func (p *plan) reword(c memoryfile.Change, k known) {
	if id, waits := k.proposal(c.Before); waits {
		p.Withdrawn = append(p.Withdrawn, id)
		p.Proposed = append(p.Proposed, c.After)
		return
	}
	m, ok := k.memory(c.Before)
	if _, here := k.memory(c.After); !ok && here {
		return
	}
	if !ok {
		p.Late = append(p.Late, c.After)
		return
	}
	if mustBeJudged(m, c) {
		p.propose(c.After, k)
		return
	}
	p.Edited = append(p.Edited, edited{m.ID, c.After.Text, c.After.Section})
}

// mustBeJudged reports new words for a memory that are more than a correction. A
// text that only moved was judged when it came.
func mustBeJudged(m memory.Memory, c memoryfile.Change) bool {
	if memoryfile.Canonical(c.Before.Text) == memoryfile.Canonical(c.After.Text) {
		return false
	}
	if m.Kind == memory.KindRule || m.Kind == memory.KindConvention {
		return true
	}
	text := c.After.Text
	return memory.Extract(text).Obliges() && !memory.Extract(m.Text).Obliges() || len(poison.Scan(text)) > 0
}
