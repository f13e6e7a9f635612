package index

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

// plan is the effect of a hand edit of a scope's files.
type plan struct {
	Proposed  []memoryfile.Entry // judged like any proposal of a person
	Late      []memoryfile.Entry // proposed too: edits of memories that are no longer active
	Edited    []edited           // reworded, or moved under another heading
	Archived  []string           // memories whose entry was removed
	Withdrawn []string           // waiting proposals whose entry was removed
	Withheld  int                // removed entries that are rendered again: too many at once
}

// edited is a memory to which a person gave other words or another heading.
type edited struct{ ID, Text, Section string }

// A person removes a line or two. A file that lost more than fewRemoved entries and more
// than a fifth of all was truncated, emptied or merged badly.
const (
	fewRemoved   = 5
	removedShare = 5
)

// decide returns the effect of an edit. A new entry is a proposal, unless its text is
// known. A reworded entry edits its memory, unless it now obliges the reader: write access
// to a file does not prove a person, so a new rule needs a review. A removed entry archives
// its memory, which can be undone.
func decide(c memoryfile.Changes, k entryIndex) plan {
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
		// A truncated file has a truncated last entry, which is no edit.
		if p.Withheld == 0 || !strings.HasPrefix(changed.Before.Text, changed.After.Text) {
			p.reword(changed, k)
		}
	}
	return p
}

// propose adds a proposal for an entry, unless one is waiting already.
func (p *plan) propose(entry memoryfile.Entry, k entryIndex) {
	if _, waits := k.proposal(entry); !waits {
		p.Proposed = append(p.Proposed, entry)
	}
}

func (p *plan) reword(c memoryfile.Change, k entryIndex) {
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

// mustBeJudged reports whether new words for a memory are more than a correction. A text
// that only moved was judged when it was first proposed.
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
