package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
)

// ErrSubject says that a subject is too short: its letters stand in texts about other
// things.
var ErrSubject = errors.New("a subject needs 4 letters or more")

// shortestSubject is in characters.
const shortestSubject = 4

// Store is the part of the store that forgetting needs.
type Store interface {
	store.Forgetter
	store.Sessions
	// Principal finds whose event a message is, in any tenant.
	Principal(ctx context.Context, id string) (memory.Principal, error)
}

// Ops erases in one tenant in the name of a person.
type Ops struct {
	Store    Store
	Streams  bus.Eraser
	Redactor *redact.Redactor // knows the form in which ids of events are stored
	Tenant   memory.Tenant
	Person   string
	NewID    func(prefix string) string
	// Restart renders the vault and begins its history anew; nil where no vault is
	// configured.
	Restart func(ctx context.Context) error
}

// Request names what to erase, by one field at least.
type Request struct {
	IDs     []string // of memories, proposals and sessions
	Subject string   // words, whatever the case of their letters
}

// Done is what was erased, or would be.
type Done struct {
	store.Forgotten
	Run     string         `json:"run,omitempty"`
	Streams map[string]int `json:"streams"` // messages, by stream
	// Vault says what became of the vault: "restarted", "not here" where none is
	// configured, empty in a preview.
	Vault   string `json:"vault,omitempty"`
	Applied bool   `json:"applied"`
}

// Forget erases with apply, and otherwise says what it would erase. After an error the
// places before it are clear; Forget again does the rest, and finds nothing where all is
// done. The error is store.ErrNotFound for an unknown id, ErrSubject, and
// store.ErrNotOperator.
func (o *Ops) Forget(ctx context.Context, r Request, apply bool) (Done, error) {
	f := store.Forgetting{IDs: slices.Clone(r.IDs), Run: o.NewID(memory.PrefixRun), By: o.Person, NewID: o.NewID}
	if r.Subject != "" {
		// Spaces around the words, or alone, stand in texts about anything.
		r.Subject = strings.TrimSpace(r.Subject)
		if utf8.RuneCountInString(r.Subject) < shortestSubject {
			return Done{}, fmt.Errorf("%q: %w", r.Subject, ErrSubject)
		}
		f.Words = []string{r.Subject}
		said, err := o.saidIn(ctx, r.Subject)
		if err != nil {
			return Done{}, err
		}
		f.IDs = append(f.IDs, said...)
	}
	plan, err := o.Store.Forget(ctx, o.Tenant, f, false)
	if err != nil {
		return Done{}, err
	}
	done := Done{Forgotten: plan, Streams: map[string]int{}}
	if err := o.streams(ctx, plan, false, apply, done.Streams); err != nil || !apply {
		return done, err
	}
	// What came in since the plan is in this one.
	if done.Forgotten, err = o.Store.Forget(ctx, o.Tenant, f, true); err != nil {
		return done, err
	}
	done.Run, done.Applied = f.Run, true
	// The relay may have published rows of the outbox between the two.
	err = o.streams(ctx, done.Forgotten, true, apply, done.Streams)
	withoutTexts(&done.Forgotten)
	if err != nil {
		return done, err
	}
	if o.Restart == nil {
		done.Vault = "not here"
		return done, nil
	}
	if err := o.Restart(ctx); err != nil {
		return done, fmt.Errorf("everything else is done: %w", err)
	}
	done.Vault = "restarted"
	return done, nil
}

// withoutTexts leaves ids and counts: what is erased is not said again by the answer.
func withoutTexts(f *store.Forgotten) {
	f.Forms = nil
	for _, rows := range [][]store.ForgottenRow{f.Memories, f.Proposals, f.Sessions} {
		for i := range rows {
			rows[i].Text = ""
		}
	}
}

// sessionsAtOnce is how many sessions are looked through at once.
const sessionsAtOnce = 200

// saidIn returns the sessions whose transcript says the words. The transcripts are
// compressed, so the database cannot look.
func (o *Ops) saidIn(ctx context.Context, words string) (ids []string, err error) {
	for before := ""; ; {
		page, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Before: before, Limit: sessionsAtOnce})
		if err != nil {
			return nil, fmt.Errorf("forget: %w", err)
		}
		for _, s := range page {
			before = s.ID
			chunks, err := o.Store.Trace(ctx, o.Tenant, s.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && len(chunks) == 0 {
				continue // retention took it
			}
			if err != nil {
				return nil, fmt.Errorf("forget: session %s: %w", s.ID, err)
			}
			lines, err := transcript.Read(chunks)
			if err != nil {
				return nil, fmt.Errorf("forget: session %s: %w", s.ID, err)
			}
			if strings.Contains(strings.ToLower(fmt.Sprint(lines)), strings.ToLower(words)) {
				ids = append(ids, s.ID)
			}
		}
		if len(page) < sessionsAtOnce {
			return ids, nil
		}
	}
}
