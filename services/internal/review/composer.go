package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
)

const (
	// firstWindow is the period that a reviewer's first digest reports.
	firstWindow = 7 * 24 * time.Hour
	// replyFor is how long a digest can be answered: until the next one, and one more
	// day.
	replyFor = 8 * 24 * time.Hour
	// ruleExpired is the rule of proposals that expired without an answer.
	ruleExpired = "expired"
)

// Composer makes one digest.
type Composer struct {
	Stamp
	Store    Store
	Config   page.Config
	Reviewer string
	Slot     string
}

// Compose makes the reviewer's digest of the proposals that wait now, and decides which
// of them expire with it. made is false where there is nothing to report, so that no
// empty page is sent. The window begins where the reviewer's last digest ended, so that
// a late one leaves nothing out.
func (m *Composer) Compose(ctx context.Context) (d memory.Digest, set change.Set, made bool, err error) {
	fail := func(err error) (memory.Digest, change.Set, bool, error) {
		return memory.Digest{}, change.Set{}, false, fmt.Errorf("digest of %s for %s: %w", m.Slot, m.Reviewer, err)
	}
	route, err := m.route(ctx)
	if err != nil {
		return fail(err)
	}
	in := page.Input{
		Digest:   m.blank(route.language(m.Reviewer, m.Config.Language)),
		MaxItems: m.Config.MaxItems, MaxWords: m.Config.MaxWords,
		ExpireAfter: m.Config.ExpireAfter, ReviewURL: m.Config.ReviewURL,
	}
	if in.Zone, err = time.LoadLocation(m.Config.Zone); err != nil {
		return fail(err)
	}
	if in.Digest.From, err = m.from(ctx); err != nil {
		return fail(err)
	}
	stale, err := m.gatherWaiting(ctx, route, &in)
	if err != nil {
		return fail(err)
	}
	if err := m.gatherDone(ctx, route, &in); err != nil {
		return fail(err)
	}
	if in.Merged, err = m.merged(ctx, route, in.Digest.From); err != nil {
		return fail(err)
	}
	if len(in.Merged)+in.Pruned+len(in.Waiting)+in.Outside+in.Expired+in.Counts.Promoted+in.Counts.Rejected+in.Counts.Merged == 0 {
		return memory.Digest{}, change.Set{}, false, nil
	}
	d = page.Compose(in)
	e := &Effect{Stamp: m.Stamp}
	for _, w := range stale {
		m.expire(e, w)
	}
	e.Set.Digests = []memory.Digest{d}
	e.AuditAs(memory.ActorSystem, "digest.sent", d.ID, map[string]string{"reviewer": d.Reviewer, "slot": d.Slot})
	m.emit(e, d, in.Waiting)
	return d, e.Set, true, nil
}

func (m *Composer) blank(language string) memory.Digest {
	id := m.NewID(memory.PrefixDigest)
	return memory.Digest{
		ID: id, Tenant: m.Tenant, Reviewer: m.Reviewer, Slot: m.Slot, Code: page.Code(id), Language: language,
		Until: m.Now, CreatedAt: m.Now, ExpiresAt: m.Now.Add(replyFor),
	}
}

// from returns the end of the reviewer's last digest.
func (m *Composer) from(ctx context.Context) (time.Time, error) {
	last, err := m.Store.Digests(ctx, m.Tenant, m.Reviewer, 1)
	if err != nil {
		return time.Time{}, err
	}
	if len(last) == 0 {
		return m.Now.Add(-firstWindow), nil
	}
	return last[0].Until, nil
}

// gatherWaiting sorts the waiting proposals into questions, text from outside, which is
// only counted, and expired ones, which it returns (stale).
func (m *Composer) gatherWaiting(ctx context.Context, r routes, in *page.Input) (stale []waiting, err error) {
	list, err := m.waiting(ctx, r)
	if err != nil {
		return nil, err
	}
	var offers []string
	for _, w := range list {
		if w.proposal.Offer() {
			offers = append(offers, w.proposal.ID)
		}
	}
	sources, err := SourcesOf(ctx, m.Store, m.Tenant, offers...)
	if err != nil {
		return nil, err
	}
	var asked []waiting
	for _, w := range list {
		w.sources = sources[w.proposal.ID]
		age := m.Now.Sub(w.since())
		switch {
		case w.proposal.Offer() && outdated(w.sources):
			w.outdated = true
			stale = append(stale, w)
		case age > m.Config.ExpireAfter:
			in.Expired++
			stale = append(stale, w)
		case w.proposal.Authority <= memory.OriginExternal:
			in.Outside++
		default:
			in.Oldest = max(in.Oldest, age)
			in.Scopes = append(in.Scopes, w.proposal.Scope)
			asked = append(asked, w)
		}
	}
	slices.Sort(in.Scopes)
	in.Scopes = slices.Compact(in.Scopes)
	in.Waiting, err = m.questions(ctx, asked)
	return stale, err
}

// gatherDone counts triage's decisions since the last digest, and what was pruned, and
// lists promotions for spot checks.
func (m *Composer) gatherDone(ctx context.Context, r routes, in *page.Input) error {
	tally, err := m.Store.Tally(ctx, m.Tenant, in.Digest.From, in.Digest.Until)
	if err != nil {
		return err
	}
	in.Counts.RejectedBy = map[string]int{}
	for _, t := range tally {
		if r.reviewer(t.Scope) != m.Reviewer {
			continue
		}
		if t.Actor == memory.ActorSystem && t.Rule == RulePrune && t.Verdict == memory.VerdictRejected {
			in.Pruned += t.N
		}
		if t.Actor != memory.ActorTriage {
			continue
		}
		switch t.Verdict {
		case memory.VerdictPromoted:
			in.Counts.Promoted += t.N
		case memory.VerdictRejected:
			in.Counts.Rejected += t.N
			in.Counts.RejectedBy[t.Rule] += t.N
		case memory.VerdictMerged:
			in.Counts.Merged += t.N
		}
	}
	in.PromotedTotal = in.Counts.Promoted
	if in.Promoted, err = m.spots(ctx, r, in.Digest.From, in.Digest.Until); err != nil {
		return err
	}
	counts, err := m.Store.Counts(ctx, m.Tenant, time.Time{})
	if err != nil {
		return err
	}
	for _, rule := range counts.Rules {
		in.Reviewed += rule.Reviewed
		in.Overrode += rule.Overrode
	}
	registry, err := m.Store.Registry(ctx, m.Tenant)
	in.RulesOff = registry.RulesOff
	return err
}

// expire ends a question without an answer. It is counted, can be undone and is never a
// promotion (D8). The decision stores the question's target and advice, so that an undo
// asks the same again.
func (m *Composer) expire(e *Effect, w waiting) {
	p := w.proposal
	d := m.Decision(p.Scope)
	d.Actor, d.Principal, d.Authority = memory.ActorSystem, p.Principal, p.Authority
	d.ProposalID, d.Verdict, d.Rule, d.Fired = p.ID, memory.VerdictExpired, ruleExpired, []string{ruleExpired}
	d.Target, d.Advice = w.standing.Target, w.standing.Advice
	d.Reason = fmt.Sprintf("nobody decided it within %d days", int(m.Config.ExpireAfter.Hours()/24))
	if w.outdated {
		d.Reason = "a memory that it would merge was archived since"
	}
	p.State, p.Target, p.DecisionID = memory.ProposalExpired, "", d.ID
	e.UpdateProposal(p)
	e.Decide(d, &p)
}

// emit adds the event that brings the digest to the gateways, as text and as data.
func (m *Composer) emit(e *Effect, d memory.Digest, waiting []page.Question) {
	id := m.NewID(memory.PrefixEvent)
	msg := &winnowv1.DigestTriage{
		Id: id, DigestId: d.ID, Reviewer: d.Reviewer, Slot: d.Slot, Code: d.Code, Text: d.Text,
		Grammar: page.Grammar(d.Language), ReviewUrl: m.Config.ReviewURL, ExpiresAt: timestamppb.New(d.ExpiresAt),
	}
	for _, item := range d.Items {
		i := slices.IndexFunc(waiting, func(q page.Question) bool { return q.Proposal.ID == item.ProposalID })
		q := waiting[i]
		entry := &winnowv1.DigestItem{
			Number: int32(item.Number), ProposalId: item.ProposalID, Text: q.Proposal.Text, Source: page.SourceOf(q.Proposal),
			Recommendation: recommendation(item.Advice), Reason: q.Decision.Reason, Section: page.SectionOf(q.Proposal),
		}
		if item.Advice == memory.AdviceReplace {
			entry.Replaces = q.Against
		}
		msg.Items = append(msg.Items, entry)
	}
	e.EmitTo(msg.GetReviewer(), id, event.SubjectDigestTriage, msg)
}

// recommendation returns the advice in the contract's words; empty where only the
// person can know.
func recommendation(a memory.Advice) string {
	switch a {
	case memory.AdvicePromote:
		return "yes"
	case memory.AdviceReject:
		return "no"
	case memory.AdviceReplace:
		return "replace"
	}
	return ""
}
