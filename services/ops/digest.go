package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// byHand begins the slots of digests that somebody asked for. Behind it stands
// the second, so that one by hand never takes the place of Monday's.
const byHand = "by-hand "

// DigestPage is a digest with what was answered to it.
type DigestPage struct {
	memory.Digest
	// Preview says that it was not sent: what would be said now. Its code binds
	// nothing.
	Preview bool                 `json:"preview,omitempty"`
	Replies []memory.DigestReply `json:"replies,omitempty"`
}

// OpenDigest is the reviewer's newest digest, if it can still be answered.
func (o *Ops) OpenDigest(ctx context.Context, reviewer string) (page DigestPage, found bool, err error) {
	list, err := o.Store.Digests(ctx, o.Tenant, reviewer, 1)
	if err != nil || len(list) == 0 || !o.Now().Before(list[0].ExpiresAt) {
		return DigestPage{}, false, err
	}
	page, err = o.page(ctx, list[0])
	return page, true, err
}

// DigestOfSlot is what was sent to a reviewer for a slot, such as 2026-W47;
// store.ErrNotFound when nothing was.
func (o *Ops) DigestOfSlot(ctx context.Context, reviewer, slot string) (DigestPage, error) {
	list, err := o.Store.Digests(ctx, o.Tenant, reviewer, mostDigests)
	if err != nil {
		return DigestPage{}, err
	}
	for _, d := range list {
		if d.Slot == slot {
			return o.page(ctx, d)
		}
	}
	return DigestPage{}, fmt.Errorf("digest of %s for %s: %w", slot, reviewer, store.ErrNotFound)
}

// mostDigests of one reviewer is more than anybody gets in ten years.
const mostDigests = 1000

func (o *Ops) page(ctx context.Context, d memory.Digest) (DigestPage, error) {
	replies, err := o.Store.DigestReplies(ctx, o.Tenant, d.ID)
	return DigestPage{Digest: d, Replies: replies}, err
}

// Digests lists what was sent, newest first, to one reviewer or (empty) to all.
func (o *Ops) Digests(ctx context.Context, reviewer string, limit int) ([]memory.Digest, error) {
	return o.Store.Digests(ctx, o.Tenant, reviewer, limit)
}

// PreviewDigest is what would be sent to a reviewer now; made is false when
// there is nothing to say. Nothing is stored.
func (o *Ops) PreviewDigest(ctx context.Context, reviewer string) (page DigestPage, made bool, err error) {
	d, _, made, err := o.composer(reviewer).Compose(ctx)
	return DigestPage{Digest: d, Preview: true}, made, err
}

// SendDigest makes a reviewer's digest now and has it published, beside those
// of the schedule; made is false when there is nothing to say. The next one
// reports what happens from here on.
func (o *Ops) SendDigest(ctx context.Context, reviewer string) (page DigestPage, made bool, err error) {
	d, set, made, err := o.composer(reviewer).Compose(ctx)
	if err != nil || !made {
		return DigestPage{}, false, err
	}
	if _, err := o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{}); err != nil {
		return DigestPage{}, false, fmt.Errorf("send digest: %w", err)
	}
	return DigestPage{Digest: d}, true, nil
}

func (o *Ops) composer(reviewer string) *review.Composer {
	stamp := o.stamp()
	return &review.Composer{
		Stamp: stamp, Store: o.Store, Config: o.Digest, Reviewer: reviewer, Slot: byHand + stamp.Now.Format(time.RFC3339),
	}
}

// Replied is what came of a reply, for commands.
type Replied struct {
	memory.DigestReply
	// Refused says that the reply was not understood or cannot be carried out;
	// the answer says why. Nothing was changed.
	Refused bool `json:"refused"`
}

// replyTries is how often a reply is decided anew when what it is about changed
// meanwhile.
const replyTries = 3

// Reply answers a digest in the person's own name: the one whose code is in the
// text, else their newest.
func (o *Ops) Reply(ctx context.Context, text string) (Replied, error) {
	said := review.Message{Principal: o.Person, Reviewer: o.Person, Text: text}
	var err error
	for range replyTries {
		set, done, decideErr := o.decider().Reply(ctx, o.Digest, said)
		if err = decideErr; err == nil {
			_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
		}
		if err == nil {
			return Replied{DigestReply: done.DigestReply, Refused: done.Refused != nil}, nil
		}
		if !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	return Replied{}, fmt.Errorf("answer the digest: %w", err)
}
