package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// RetractRequest says whose words are to go, by at least one of these; those
// that are given must all hold.
type RetractRequest struct {
	Session   string // its id, or its publisher's name for it
	Principal string
	Origin    string // as in memory.ParseOrigin
}

// Retracted is what taking a source's words back changes, or would change.
type Retracted struct {
	review.Retraction
	Source  string     `json:"source"`
	Served  []ServedTo `json:"served"`  // sessions that were shown what is archived
	Applied bool       `json:"applied"` // false: nothing was changed
}

// ServedTo is a session that was shown memories which turned out wrong.
type ServedTo struct {
	Session   string    `json:"session"`
	Principal string    `json:"principal"`
	Memories  []string  `json:"memories"`
	Last      time.Time `json:"last"`
}

// retractTries is how often a retraction is decided anew when rows moved while
// it was decided. Triage goes on meanwhile.
const retractTries = 5

// Retract finds what carries a source's words and, with apply, takes it out of
// service in one transaction (SPEC §7). The error is ErrNotFound of the store
// for a session that nobody knows.
func (o *Ops) Retract(ctx context.Context, r RetractRequest, apply bool) (Retracted, error) {
	src, err := o.source(ctx, r)
	if err != nil {
		return Retracted{}, err
	}
	for try := 1; ; try++ {
		set, done, err := o.decider().Retract(ctx, o.NewID(memory.PrefixRun), src)
		if err != nil {
			return Retracted{}, err
		}
		if src.Session != "" && done.Proposals == 0 {
			if err := o.heardOf(ctx, src.Session); err != nil {
				return Retracted{}, err
			}
		}
		out := Retracted{Retraction: done, Source: src.String()}
		if out.Served, err = o.servedTo(ctx, done.Archived); err != nil {
			return Retracted{}, err
		}
		if !apply || set.Empty() {
			out.ID = ""
			return out, nil
		}
		set.Audit = append(set.Audit, change.Audit{
			Actor: memory.ActorPerson, Principal: o.Person, Action: "source.retracted", Subject: done.ID,
			Body: map[string]any{"source": out.Source, "archived": len(done.Archived), "closed": len(done.Closed), "weakened": len(done.Weakened)},
		})
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
		if err == nil {
			out.Applied = true
			return out, nil
		}
		if !errors.Is(err, store.ErrConflict) || try == retractTries {
			return Retracted{}, fmt.Errorf("retract %s: %w", out.Source, err)
		}
	}
}

// source checks what was asked for. A session's id means its name and publisher:
// another publisher may use the same name.
func (o *Ops) source(ctx context.Context, r RetractRequest) (review.Source, error) {
	src := review.Source{Session: r.Session, Principal: r.Principal}
	if r.Origin != "" {
		origin, err := memory.ParseOrigin(r.Origin)
		if err != nil {
			return src, err
		}
		src.Origin = &origin
	}
	if _, err := memory.ParseID(r.Session, memory.PrefixSession); err == nil {
		s, err := o.Store.Session(ctx, o.Tenant, r.Session)
		if err != nil {
			return src, fmt.Errorf("retract session %s: %w", r.Session, err)
		}
		if r.Principal != "" && r.Principal != s.Principal {
			return src, fmt.Errorf("%w: session %s is of principal %s", ErrState, r.Session, s.Principal)
		}
		src.Session, src.Principal = s.Name, s.Principal
	}
	return src, nil
}

// heardOf fails for a session that left nothing at all: most likely its name is
// mistyped.
func (o *Ops) heardOf(ctx context.Context, name string) error {
	known, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Name: name, Limit: 1})
	if err == nil && len(known) == 0 {
		err = fmt.Errorf("%w: no session is called %q, and nothing was proposed in one", store.ErrNotFound, name)
	}
	return err
}

// servedTo groups by session who was shown the memories, the latest first.
func (o *Ops) servedTo(ctx context.Context, archived []review.Touched) ([]ServedTo, error) {
	var ids []string
	for _, t := range archived {
		ids = append(ids, t.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	shown, err := o.Store.ServedOf(ctx, o.Tenant, ids...)
	if err != nil {
		return nil, fmt.Errorf("who was served it: %w", err)
	}
	at := map[string]int{}
	var list []ServedTo
	for _, s := range shown {
		key := s.SessionID + "\x00" + s.Principal
		i, known := at[key]
		if !known {
			i = len(list)
			at[key] = i
			list = append(list, ServedTo{Session: s.SessionID, Principal: s.Principal})
		}
		list[i].Memories = append(list[i].Memories, s.MemoryID)
		if s.At.After(list[i].Last) {
			list[i].Last = s.At
		}
	}
	slices.SortFunc(list, func(a, b ServedTo) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.Session, b.Session)
	})
	return list, nil
}
