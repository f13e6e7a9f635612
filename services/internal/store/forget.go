package store

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Forgetter erases words for good, which only a person asks for (D9).
type Forgetter interface {
	// Forget finds what carries the words of some rows, and with apply erases it in one
	// transaction: rows become tombstones without a word, what hangs on them is deleted,
	// bodies of the audit about them are erased with entries that say so, and every changed
	// memory is emitted as memory.archived or memory.recorded. Without apply nothing
	// changes, and the report is what would be done. Repeating it is harmless. The error is
	// ErrNotOperator for a login that is no member of winnow_operator, and ErrNotFound when
	// an id is unknown.
	Forget(ctx context.Context, tenant memory.Tenant, f Forgetting, apply bool) (Forgotten, error)
}

// Forgetting says what to erase.
type Forgetting struct {
	// IDs are of memories, proposals and sessions. Words are looked for in texts, whatever
	// the case of their letters.
	IDs, Words []string
	Run        string // id under which the audit has it
	By         string // the person who asked
	// NewID returns a fresh id with the given prefix, for events.
	NewID func(prefix string) string
}

// Forgotten is what was found, with its texts as they were: for the person who asked, and
// to find the same words in other places. It is never stored.
type Forgotten struct {
	Memories  []ForgottenRow `json:"memories"`
	Proposals []ForgottenRow `json:"proposals"`
	Sessions  []ForgottenRow `json:"sessions"`
	// Transcripts are the sessions whose stored transcript goes, because the words come
	// from it.
	Transcripts []ForgottenRow `json:"transcripts"`
	Restored    []string       `json:"restored"` // memories that serve again, because what replaced them is gone
	Served      int64          `json:"served"`   // entries of the served log
	Asides      int64          `json:"asides"`   // other rows in which the words stood
	// Forms are the texts to look for elsewhere, as they stand and as JSON writes them.
	Forms []string `json:"forms"`
}

// ForgottenRow is a row that loses its words.
type ForgottenRow struct {
	ID        string `json:"id"`
	Scope     string `json:"scope"`
	State     string `json:"state,omitempty"`
	Text      string `json:"text,omitempty"`
	Event     string `json:"event,omitempty"` // by which it came in
	Principal string `json:"principal,omitempty"`
}
