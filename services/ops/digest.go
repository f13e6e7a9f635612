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

// byHand is the prefix of the slots of digests on request. The rest of the slot
// is the time in seconds, so that a digest on request never uses a slot of the
// schedule.
const byHand = "by-hand "

// DigestPage is a digest with its replies.
type DigestPage struct {
	memory.Digest
	// Preview marks a digest that was not sent. Its code accepts no reply.
	Preview bool                 `json:"preview,omitempty"`
	Replies []memory.DigestReply `json:"replies,omitempty"`
}

// OpenDigest returns the reviewer's newest digest. found is false when the
// digest has expired or does not exist.
func (o *Ops) OpenDigest(ctx context.Context, reviewer string) (page DigestPage, found bool, err error) {
	list, err := o.Store.Digests(ctx, o.Tenant, reviewer, 1)
	if err != nil || len(list) == 0 || !o.Now().Before(list[0].ExpiresAt) {
		return DigestPage{}, false, err
	}
	page, err = o.page(ctx, list[0])
	return page, true, err
}

// DigestOfSlot returns a reviewer's digest of a slot, such as 2026-W47, or
// store.ErrNotFound.
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

// mostDigests bounds the digests of one reviewer that are read: more than ten
// years of them.
const mostDigests = 1000

func (o *Ops) page(ctx context.Context, d memory.Digest) (DigestPage, error) {
	replies, err := o.Store.DigestReplies(ctx, o.Tenant, d.ID)
	return DigestPage{Digest: d, Replies: replies}, err
}

// Digests lists sent digests, newest first, of one reviewer or (empty) of all.
func (o *Ops) Digests(ctx context.Context, reviewer string, limit int) ([]memory.Digest, error) {
	return o.Store.Digests(ctx, o.Tenant, reviewer, limit)
}

// PreviewDigest returns the digest that a reviewer would get now, and stores
// nothing. made is false when a digest would be empty.
func (o *Ops) PreviewDigest(ctx context.Context, reviewer string) (page DigestPage, made bool, err error) {
	d, _, made, err := o.composer(reviewer).Compose(ctx)
	return DigestPage{Digest: d, Preview: true}, made, err
}

// SendDigest creates and publishes a reviewer's digest now, in addition to those
// of the schedule. made is false when the digest would be empty. The next digest
// reports the period after this one.
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

// Replied is the result of a reply, for commands.
type Replied struct {
	memory.DigestReply
	// Refused means that the reply was not understood or cannot be applied; the
	// answer gives the reason. Nothing was changed.
	Refused bool `json:"refused"`
}

// replyTries bounds the attempts to decide a reply when its rows change
// concurrently.
const replyTries = 3

// Reply answers a digest in the person's own name: the digest with the code in
// the text, else the person's newest.
func (o *Ops) Reply(ctx context.Context, text string) (Replied, error) {
	return o.reply(ctx, review.Message{Principal: o.Person, Reviewer: o.Person, Text: text})
}

// ReplyTo answers one digest in the name of its reviewer. The caller has checked that the
// person is the reviewer or speaks for them.
func (o *Ops) ReplyTo(ctx context.Context, d memory.Digest, text string) (Replied, error) {
	return o.reply(ctx, review.Message{Principal: o.Person, Reviewer: d.Reviewer, Code: d.Code, Text: text})
}

func (o *Ops) reply(ctx context.Context, said review.Message) (Replied, error) {
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
