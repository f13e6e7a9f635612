package digest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// classDue is the class of due events without a reviewer or a slot.
const classDue = "due"

// systemPerson is the name in the audit log where no person decided.
const systemPerson = "digest"

func (w *work) stamp(e worker.Event, person string) review.Stamp {
	return review.Stamp{Tenant: e.Tenant, Person: person, Now: w.Now().UTC().Truncate(time.Microsecond), NewID: w.NewID}
}

// mostDigests is how many digests are searched for a slot. A replayed event of an older
// slot looks like a new one.
const mostDigests = 100

// compose makes the digest of one slot and reviewer. A second event for the same slot
// changes nothing.
func (w *work) compose(ctx context.Context, e worker.Event) (change.Set, error) {
	var due winnowv1.DigestDue
	if err := event.Unmarshal(e.Envelope, &due); err != nil {
		return change.Set{}, err
	}
	if due.GetReviewer() == "" || due.GetSlot() == "" {
		return change.Set{}, worker.Permanent(classDue, errors.New("a digest is due for a reviewer and a slot; one of them is empty"))
	}
	sent, err := w.Store.Digests(ctx, e.Tenant, due.GetReviewer(), mostDigests)
	if err != nil || slices.ContainsFunc(sent, func(d memory.Digest) bool { return d.Slot == due.GetSlot() }) {
		return change.Set{}, err
	}
	mail := review.Composer{
		Stamp: w.stamp(e, systemPerson), Store: w.Store, Config: w.asking, Reviewer: due.GetReviewer(), Slot: due.GetSlot(),
	}
	_, set, _, err := mail.Compose(ctx)
	return set, err
}
