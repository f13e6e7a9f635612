package vector

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Reconciled counts what [Reconcile] did so far.
type Reconciled struct {
	Compared int `json:"compared"` // rows read from Postgres
	Written  int `json:"written"`  // of Compared, missing or outdated in the index
	Removed  int `json:"removed"`  // documents without a row in Postgres
}

// reconcilePage is how many stamps are compared at a time.
const reconcilePage = 1000

// Reconcile makes an index equal to the truth, the rows of Postgres, for one tenant. On
// an empty generation that is a rebuild. It may run while others write, because Put
// lets the newer version win in any order. progress, when not nil, is called after
// every page. An interrupted run is repeated as a whole; a document that is right
// already costs only a comparison.
//
// last is the id of the newest row when the caller began, empty for none. Reconcile does
// not read rows behind it that the index does not have either: events bring them, and a
// loop until the end would follow a busy writer for ever.
//
// An index that has nothing of the tenant and is a [Loader] is loaded. What others wrote
// to it meanwhile may be older than the rows; the next call finds that.
//
// A document without a row becomes a tombstone, updated at now.
func Reconcile(ctx context.Context, x Index, tenant memory.Tenant, truth Source, last string, now time.Time, progress func(Reconciled)) (Reconciled, error) {
	r := reconciler{index: x, insert: x.Put, tenant: tenant, truth: truth, last: last, now: now}
	for after := ""; ; {
		// The index is read first. Its documents were committed before, so a later read
		// of the truth must find them; in the other order a row written in between
		// would look unknown.
		stamps, err := x.Versions(ctx, tenant, after, reconcilePage)
		if err != nil {
			return r.done, fmt.Errorf("read index: %w", err)
		}
		if loader, can := x.(Loader); can && after == "" && len(stamps) == 0 {
			r.insert = loader.Load
		}
		until := ""
		if len(stamps) > 0 {
			until = stamps[len(stamps)-1].ID
		}
		if err := r.span(ctx, stamps, after, until, progress); err != nil {
			return r.done, err
		}
		if until == "" {
			return r.done, nil
		}
		after = until
	}
}

type reconciler struct {
	index  Index
	insert func(context.Context, []Doc) error // writes rows that the index lacks
	tenant memory.Tenant
	truth  Source
	last   string
	now    time.Time
	done   Reconciled
}

// span compares the ids after the first bound up to the second; an empty second bound
// means to the end.
func (r *reconciler) span(ctx context.Context, stamps []Stamp, after, until string, progress func(Reconciled)) error {
	known := make(map[string]Stamp, len(stamps))
	for _, s := range stamps {
		known[s.ID] = s
	}
	for full := 0; ; {
		rows, err := r.truth(ctx, r.index.Generation(), r.tenant, after)
		if err != nil {
			return fmt.Errorf("read truth: %w", err)
		}
		inside, over := cutAfter(rows, until)
		if err := r.write(ctx, inside, known); err != nil {
			return err
		}
		if progress != nil {
			progress(r.done)
		}
		// Behind a page that is not full there was nothing when it was read.
		if over || len(rows) == 0 || len(rows) < full || until == "" && r.passed(rows) {
			return r.remove(ctx, known)
		}
		full = len(rows)
		after = rows[len(rows)-1].ID
	}
}

// passed reports whether a page ends at or behind the newest row of the beginning.
func (r *reconciler) passed(rows []Doc) bool {
	return r.last != "" && ulidOf(rows[len(rows)-1].ID) >= ulidOf(r.last)
}

// cutAfter drops the rows beyond a bound and reports whether there were any.
func cutAfter(rows []Doc, until string) ([]Doc, bool) {
	if until == "" {
		return rows, false
	}
	for i := range rows {
		if ulidOf(rows[i].ID) > ulidOf(until) {
			return rows[:i], true
		}
	}
	return rows, false
}

// ulidOf returns the part of an id that orders it.
func ulidOf(id string) string { return id[max(0, len(id)-26):] }

// write puts the rows that the index lacks, and removes all rows from known, which then
// holds the ids in the index alone.
func (r *reconciler) write(ctx context.Context, rows []Doc, known map[string]Stamp) error {
	var missing, behind []Doc
	for _, d := range rows {
		if s, ok := known[d.ID]; !ok {
			missing = append(missing, d)
		} else if s.Version < d.Version {
			behind = append(behind, d)
		}
		delete(known, d.ID)
	}
	r.done.Compared += len(rows)
	if len(missing) > 0 {
		if err := r.insert(ctx, missing); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if len(behind) > 0 {
		if err := r.index.Put(ctx, behind); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	r.done.Written += len(missing) + len(behind)
	return nil
}

// remove puts tombstones for documents that only the index has.
func (r *reconciler) remove(ctx context.Context, known map[string]Stamp) error {
	var unknown []Doc
	for _, s := range known {
		if !s.Deleted {
			unknown = append(unknown, Doc{ID: s.ID, Tenant: r.tenant, Version: s.Version + 1, UpdatedAt: r.now, Deleted: true})
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	if err := r.index.Put(ctx, unknown); err != nil {
		return fmt.Errorf("bury: %w", err)
	}
	r.done.Removed += len(unknown)
	return nil
}
