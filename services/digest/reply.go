package digest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// classReviewer is the class of replies in the name of a reviewer that the sender may
// not speak for.
const classReviewer = "reviewer"

// anyReviewer in a gateway's registration lets it speak for every reviewer of its
// tenant.
const anyReviewer = "*"

// reply applies a person's answer. The sender's identity and registration decide who
// may answer; the reviewer that a reply names is only a claim.
func (w *work) reply(ctx context.Context, e worker.Event) (change.Set, error) {
	var said winnowv1.DigestReply
	if err := event.Unmarshal(e.Envelope, &said); err != nil {
		return change.Set{}, err
	}
	reviewer := said.GetReviewer()
	if reviewer == "" {
		reviewer = e.Principal.ID
	}
	if err := w.maySpeak(ctx, e.Principal, reviewer); err != nil {
		return change.Set{}, err
	}
	decider := review.Decider{Stamp: w.stamp(e, reviewer), Store: w.Store, Redact: func(text string) string {
		clean, _ := w.Redactor.Text(string(e.Tenant), text)
		return clean
	}}
	set, _, err := decider.Reply(ctx, w.asking, review.Message{
		EventID: e.ID, Principal: e.Principal.ID, Reviewer: reviewer, Code: said.GetCode(), Text: said.GetText(),
	})
	return set, err
}

// maySpeak refuses a sender who is neither the reviewer nor registered to speak for the
// reviewer. Agents propose; they never decide.
func (w *work) maySpeak(ctx context.Context, sender memory.Principal, reviewer string) error {
	refuse := func(format string, args ...any) error {
		return worker.Permanent(classReviewer, fmt.Errorf(format, args...))
	}
	if sender.ID == reviewer {
		if sender.Highest < memory.OriginHuman {
			return refuse("%s is no person and cannot answer a digest; register a gateway that may speak for a reviewer", sender.ID)
		}
		return nil
	}
	if !slices.Contains(sender.SpeaksFor, reviewer) && !slices.Contains(sender.SpeaksFor, anyReviewer) {
		return refuse("%s may not answer for %q; winnow principal add %s --speaks-for %s", sender.ID, reviewer, sender.ID, reviewer)
	}
	person, err := w.Store.Principal(ctx, reviewer)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && (person.Tenant != sender.Tenant || person.Highest < memory.OriginHuman):
		return refuse("reviewer %q is no registered person", reviewer)
	}
	return err
}
