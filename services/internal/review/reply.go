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
	// mostDigests is how many digests are searched for a code; older ones have expired.
	mostDigests = 100
	// Bounds of a reply's stored text and code, in bytes. A longer reply is read no
	// further, and the answer says so.
	longestText, longestCode = 16 << 10, 32
)

// Message is a reply to a digest as it came in, from a sender who may speak for the
// reviewer.
type Message struct {
	EventID   string
	Principal string // who sent it
	Reviewer  string // in whose name
	Code      string // as given apart from the text, which may contain it too
	Text      string
}

// Replied is a reply with its result.
type Replied struct {
	memory.DigestReply
	// Refused is the reason for which a reply with a request changed nothing; Answer
	// says it in words.
	Refused error
}

// Reply decides what a reply changes. A reply that cannot be carried out as a whole
// changes nothing: the set then only records it with the reason. An error means that
// nothing could be decided now, not that the reply is wrong.
//
// Without a code the reply is to the reviewer's newest digest.
func (d *Decider) Reply(ctx context.Context, cfg page.Config, m Message) (change.Set, Replied, error) {
	r := &replying{Decider: d, cfg: cfg, msg: m}
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

// replying is one reply in the course of its decision.
type replying struct {
	*Decider
	cfg    page.Config
	msg    Message
	code   string        // as the reply gives it
	digest memory.Digest // zero until the answered digest is known
	set    change.Set
	row    memory.DigestReply
}

// language returns the digest's language, or that of the reviewer's next digest.
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

// words returns the refusal as text for the person. A reason that the digest's phrases
// do not cover is given as the error's text.
func (r *refusal) words(language string) string {
	if impossible(r.error) {
		return "Nothing was done. " + r.Error()
	}
	return page.Refused(language, r.error)
}

// impossible reports an action that cannot succeed in the present state: a retry would
// not help.
func impossible(err error) bool {
	return errors.Is(err, ErrState) || errors.Is(err, ErrDependents) || errors.Is(err, store.ErrNotFound)
}

func (r *replying) decide(ctx context.Context) error {
	// Secrets are removed before the text is parsed, because the answer repeats what
	// was not understood.
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

// find returns the reviewer's newest digest, or the newest with the code. Only the
// reviewer's own digests are searched, because a code is short and another reviewer's
// may be the same.
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

// apply carries out the reply's answers, all or none.
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

// states returns the present state of the digest's items, by proposal.
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

// question returns the decision that sent a waiting proposal to a person. An answer and
// its undo leave the question as it was, so that a correct answer can follow "undo".
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

// record stores the reply with its digest, where it has one, and emits the answer to
// the sender.
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
