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

// RetractRequest selects the words to retract, by at least one field. All given
// fields must match.
type RetractRequest struct {
	Session   string // its id, or its publisher's name for it
	Principal string
	Origin    string // as in memory.ParseOrigin
}

// Retracted is the effect of a retraction, applied or planned.
type Retracted struct {
	review.Retraction
	Source  string     `json:"source"`
	Served  []ServedTo `json:"served"`  // sessions that were served archived memories
	Applied bool       `json:"applied"` // false: nothing was changed
}

// ServedTo is a session that was served memories which turned out wrong.
type ServedTo struct {
	Session   string    `json:"session"`
	Principal string    `json:"principal"`
	Memories  []string  `json:"memories"`
	Last      time.Time `json:"last"`
}

// retractTries bounds the attempts of a retraction when rows change
// concurrently. Triage continues meanwhile.
const retractTries = 5

// retractPasses bounds how often all pages are read again. A page may restore a memory
// that a page before it would have archived, and triage may accept more meanwhile.
const retractPasses = 5

// Retract finds the rows that contain a source's words and, with apply, archives or
// rejects them (SPEC §7). A source of up to [review.RetractPage] texts is one
// transaction. A larger one takes a transaction for each page, all under one id; after
// an error the pages before it stand, and another Retract does the rest. The error is
// store.ErrNotFound for an unknown session.
func (o *Ops) Retract(ctx context.Context, r RetractRequest, apply bool) (Retracted, error) {
	src, err := o.source(ctx, r)
	if err != nil {
		return Retracted{}, err
	}
	out := Retracted{Source: src.String(), Retraction: review.Retraction{ID: o.NewID(memory.PrefixRun)}}
	pages := 0
	for pass := 1; pass <= retractPasses; pass++ {
		changed := false
		from := review.RetractFrom{Size: o.RetractPage}
		for ; !from.Done; pages++ {
			done, next, effect, err := o.retractPage(ctx, out.ID, src, from, apply)
			if err != nil {
				return Retracted{}, fmt.Errorf("retract %s: page %d: %w", out.Source, pages+1, err)
			}
			if pass > 1 {
				done.Proposals = 0
			}
			from, changed = next, changed || effect
			addRetraction(&out.Retraction, done)
		}
		out.Applied = out.Applied || apply && changed
		if !apply || !changed || pages == 1 {
			break
		}
	}
	if src.Session != "" && out.Proposals == 0 {
		if err := o.checkSession(ctx, src.Session); err != nil {
			return Retracted{}, err
		}
	}
	if out.Served, err = o.servedTo(ctx, out.Archived); err != nil {
		return Retracted{}, err
	}
	if !out.Applied {
		out.ID = ""
	}
	return out, nil
}

// retractPage decides one page and, with apply, commits it. It returns where the next
// page begins, and whether this one has an effect.
func (o *Ops) retractPage(ctx context.Context, id string, src review.Source, from review.RetractFrom, apply bool) (review.Retraction, review.RetractFrom, bool, error) {
	for try := 1; ; try++ {
		set, done, next, err := o.decider().Retract(ctx, id, src, from)
		if err != nil {
			return review.Retraction{}, from, false, err
		}
		if !apply || set.Empty() {
			return done, next, !set.Empty(), nil
		}
		set.Audit = append(set.Audit, change.Audit{
			Actor: memory.ActorPerson, Principal: o.Person, Action: "source.retracted", Subject: done.ID,
			Body: map[string]any{"source": src.String(), "archived": len(done.Archived), "closed": len(done.Closed), "weakened": len(done.Weakened)},
		})
		if _, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{}); err == nil {
			return done, next, true, nil
		}
		if !errors.Is(err, store.ErrConflict) || try == retractTries {
			return review.Retraction{}, from, false, err
		}
	}
}

// undoRetraction undoes a retraction page by page, the latest first. After an error the
// pages before it are undone, and another undo does the rest.
func (o *Ops) undoRetraction(ctx context.Context, id string) (Undone, error) {
	var all Undone
	for {
		set, done, more, err := o.decider().UndoRetraction(ctx, id, o.RetractPage)
		if err == nil {
			_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
		}
		if err != nil {
			return all, err
		}
		all.Undid = append(all.Undid, done.Undid...)
		all.ToReview = append(all.ToReview, done.ToReview...)
		all.Archived = append(all.Archived, done.Archived...)
		all.Restored = append(all.Restored, done.Restored...)
		if !more {
			return all, nil
		}
	}
}

// addRetraction adds a page to what was retracted before. A row that several pages touch
// is listed once, as the last one left it.
func addRetraction(all *review.Retraction, page review.Retraction) {
	all.Proposals += page.Proposals
	for _, group := range []struct {
		to   *[]review.Touched
		more []review.Touched
	}{
		{&all.Archived, page.Archived}, {&all.Closed, page.Closed}, {&all.Weakened, page.Weakened},
		{&all.ToReview, page.ToReview}, {&all.Restored, page.Restored}, {&all.Independent, page.Independent},
	} {
		again := make(map[string]bool, len(group.more))
		for _, t := range group.more {
			again[t.ID] = true
		}
		*group.to = append(slices.DeleteFunc(*group.to, func(t review.Touched) bool { return again[t.ID] }), group.more...)
	}
}

// source validates the request. A session's id selects its name and publisher,
// because another publisher may use the same name.
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

// checkSession returns store.ErrNotFound for a session without any row, whose
// name is probably mistyped.
func (o *Ops) checkSession(ctx context.Context, name string) error {
	known, err := o.Store.Sessions(ctx, o.Tenant, store.SessionQuery{Name: name, Limit: 1})
	if err == nil && len(known) == 0 {
		err = fmt.Errorf("%w: no session is called %q, and nothing was proposed in one", store.ErrNotFound, name)
	}
	return err
}

// servedTo returns the sessions that were served the memories, the latest first.
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
