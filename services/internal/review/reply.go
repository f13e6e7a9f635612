package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// mostDigests is how far back a code is looked for; older ones cannot be
	// answered any more.
	mostDigests = 100
	// What is kept of a reply's text and code, in bytes. Who sends more is read
	// no further, and told so.
	longestText, longestCode = 16 << 10, 32
)

// Message is a reply to a digest as it came in, from somebody who may speak for
// the reviewer.
type Message struct {
	EventID   string
	Principal string // who sent it
	Reviewer  string // in whose name
	Code      string // as given beside the text; the text may hold it too
	Text      string
}

// Replied is a reply with what came of it.
type Replied struct {
	memory.DigestReply
	// Refused is why nothing was changed, though something was asked for or
	// nothing was understood; Answer says it in words.
	Refused error
}

// Reply decides what a reply changes. What cannot be carried out as a whole
// changes nothing: the set then only records it and says why. An error means
// that nothing could be decided now, not that the reply is wrong.
//
// With no code the reviewer's newest digest is meant.
func (d *Desk) Reply(ctx context.Context, cfg page.Config, m Message) (change.Set, Replied, error) {
	r := &replying{Desk: d, cfg: cfg, msg: m}
	err := r.decide(ctx)
	var no *refusal
	refused := errors.As(err, &no)
	if refused {
		var language string
		language, err = r.language(ctx)
		r.set, r.row.Answer, r.row.Applied, r.row.Decisions = change.Set{}, no.words(language), false, nil
	}
	if err != nil {
		return change.Set{}, Replied{}, fmt.Errorf("reply: %w", err)
	}
	r.record()
	done := Replied{DigestReply: r.row}
	if refused {
		done.Refused = no.error
	}
	return r.set, done, nil
}

// replying is one reply while it is decided.
type replying struct {
	*Desk
	cfg    page.Config
	msg    Message
	code   string        // as the reply gives it
	digest memory.Digest // zero while it is not known which is answered
	set    change.Set
	row    memory.DigestReply
}

// language is the digest's, else what the reviewer's next one would be in.
func (r *replying) language(ctx context.Context) (string, error) {
	if r.digest.ID != "" {
		return r.digest.Language, nil
	}
	routes, err := readRoutes(ctx, r.Store, r.Tenant, r.cfg.Reviewer)
	return routes.language(r.msg.Reviewer, r.cfg.Language), err
}

// refusal is a reason for which a reply changes nothing.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

// words is the refusal for the person. What the digest's own words do not cover
// is said as it is: which row is not as it was.
func (r *refusal) words(language string) string {
	if impossible(r.error) {
		return "Nothing was done. " + r.Error()
	}
	return page.Refused(language, r.error)
}

// impossible reports that what was asked for cannot be done as things stand:
// trying again would not help.
func impossible(err error) bool {
	return errors.Is(err, ErrState) || errors.Is(err, ErrDependents) || errors.Is(err, store.ErrNotFound)
}

func (r *replying) decide(ctx context.Context) error {
	// Secrets go before anything is read out of the text: the answer repeats
	// what was not understood.
	text := r.Redact(r.msg.Text)
	r.row.Text = clip(text, longestText)
	parsed, unclear := page.Parse(text)
	written := parsed.Code
	var notUnderstood *page.NotUnderstoodError
	if errors.As(unclear, &notUnderstood) {
		written = notUnderstood.Code
	}
	code := cmp.Or(strings.ToUpper(strings.TrimSpace(r.msg.Code)), written)
	r.code = clip(r.Redact(code), longestCode)
	if written != "" && written != code {
		return &refusal{page.ErrForeign}
	}
	d, err := r.find(ctx, code)
	if err != nil {
		return err
	}
	err = page.CheckReply(d, code, r.msg.Reviewer, r.Now)
	if err == nil || errors.Is(err, page.ErrExpired) {
		r.digest = d
	}
	switch {
	case err != nil:
		return &refusal{err}
	case unclear != nil:
		return &refusal{unclear}
	case parsed.Undo:
		return r.undo(ctx)
	}
	return r.apply(ctx, parsed)
}

// find is the reviewer's newest digest, or the newest that has the code. Only
// the reviewer's own are looked at: a code is short, and another's may be the
// same.
func (r *replying) find(ctx context.Context, code string) (memory.Digest, error) {
	list, err := r.Store.Digests(ctx, r.Tenant, r.msg.Reviewer, mostDigests)
	if err != nil {
		return memory.Digest{}, err
	}
	i := slices.IndexFunc(list, func(d memory.Digest) bool { return code == "" || d.Code == code })
	if i < 0 {
		return memory.Digest{}, &refusal{page.ErrForeign}
	}
	return list[i], nil
}

// apply carries out what a reply asks for, all of it or nothing.
func (r *replying) apply(ctx context.Context, parsed page.Reply) error {
	states, err := r.states(ctx)
	if err != nil {
		return err
	}
	plan, err := page.Resolve(r.digest, parsed, func(id string) page.ItemState { return states[id] })
	if err != nil {
		return &refusal{err}
	}
	var sets []change.Set
	var wrong []page.Action
	for _, a := range plan.Actions {
		switch a.Do {
		case page.DoRetract:
			wrong = append(wrong, a)
		case page.DoPromote, page.DoReplace, page.DoReject:
			set, done, err := r.Answer(ctx, a.ProposalID, Answer{Action: string(a.Do), Text: a.Text, Note: "digest " + r.digest.Code})
			if err != nil {
				return refusable(err)
			}
			sets = append(sets, set)
			r.row.Decisions = append(r.row.Decisions, done.Decision)
		}
	}
	set, err := r.retract(ctx, wrong)
	if err != nil {
		return refusable(err)
	}
	if !set.Empty() {
		sets = append(sets, set)
	}
	if r.set, err = Together(sets...); err != nil {
		return refusable(err)
	}
	r.row.Applied = len(sets) > 0
	r.row.Answer = page.Done(r.digest.Language, plan, r.cfg.UndoWithin)
	return nil
}

// states is where the digest's items stand now.
func (r *replying) states(ctx context.Context) (map[string]page.ItemState, error) {
	states := map[string]page.ItemState{}
	for _, item := range r.digest.Items {
		p, err := r.Store.Proposal(ctx, r.Tenant, item.ProposalID)
		if errors.Is(err, store.ErrNotFound) {
			continue // gone by retention: decided long ago
		}
		if err != nil {
			return nil, err
		}
		now := page.ItemState{State: p.State, DecisionID: p.DecisionID}
		if p.State == memory.ProposalNeedsReview {
			if now.DecisionID, err = r.question(ctx, p); err != nil {
				return nil, err
			}
		}
		states[p.ID] = now
	}
	return states, nil
}

// question is the decision that put a waiting proposal before a person. An
// answer and its undo leave the question as it was, so that "undo" can be
// followed by what was meant.
func (r *replying) question(ctx context.Context, p memory.Proposal) (string, error) {
	reviews, err := r.Store.Reviews(ctx, r.Tenant, p.ID)
	if err != nil {
		return "", err
	}
	answered := map[string]string{} // by the answer
	for _, v := range reviews {
		answered[v.DecisionID] = v.Overrode
	}
	at := p.DecisionID
	for range reviews {
		d, err := r.Store.Decision(ctx, r.Tenant, at)
		if err != nil {
			return "", err
		}
		if answered[d.Undoes] == "" {
			break
		}
		at = answered[d.Undoes]
	}
	return at, nil
}

// record keeps the reply with its digest, where it has one, and tells who sent
// it what came of it.
func (r *replying) record() {
	e := &Effect{Stamp: r.Stamp, Set: r.set}
	r.row.ID, r.row.Tenant, r.row.DigestID = r.NewID(memory.PrefixReply), r.Tenant, r.digest.ID
	r.row.Principal, r.row.At = r.msg.Principal, r.Now
	if r.digest.ID != "" {
		r.code = r.digest.Code
		e.Set.DigestReplies = append(e.Set.DigestReplies, r.row)
		e.Audit("digest.answered", r.digest.ID, map[string]string{
			"reply": r.row.ID, "by": r.msg.Principal, "for": r.msg.Reviewer, "applied": fmt.Sprint(r.row.Applied), "undoes": r.row.Undoes,
		})
	} else {
		e.Audit("digest.refused", r.msg.Reviewer, map[string]string{"by": r.msg.Principal, "event": r.msg.EventID})
	}
	id := r.NewID(memory.PrefixEvent)
	e.EmitTo(r.msg.Reviewer, id, event.SubjectDigestAnswered, &winnowv1.DigestAnswered{
		Id: id, DigestId: r.digest.ID, Code: r.code, Reviewer: r.msg.Reviewer, ReplyId: r.msg.EventID,
		Applied: r.row.Applied, Text: r.row.Answer,
	})
	r.set = e.Set
}
