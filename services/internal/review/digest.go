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
	"github.com/winnowhq/winnow/services/internal/digest"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// maxWaiting bounds what one digest looks at. It shows ten and counts the
	// rest; a backlog beyond this is counted as so many.
	maxWaiting = 5000
	// firstWindow is what the first digest of a reviewer reports.
	firstWindow = 7 * 24 * time.Hour
	// replyFor is how long a digest can be answered: until the next one, and a
	// day in which it may still be read.
	replyFor = 8 * 24 * time.Hour
	// ruleExpired is the rule of what nobody answered.
	ruleExpired = "expired"
)

// Mail is one digest to be made.
type Mail struct {
	Stamp
	Store    store.Reader
	Config   digest.Config
	Reviewer string
	Slot     string
}

// Compose makes the reviewer's digest of what waits now, and decides what
// expires with it. made is false when there is nothing to say: nobody is sent
// an empty page. The window begins where the reviewer's last digest ended, so
// that one which is late leaves nothing out.
func (m *Mail) Compose(ctx context.Context) (d memory.Digest, set change.Set, made bool, err error) {
	fail := func(err error) (memory.Digest, change.Set, bool, error) {
		return memory.Digest{}, change.Set{}, false, fmt.Errorf("digest of %s for %s: %w", m.Slot, m.Reviewer, err)
	}
	route, err := m.route(ctx)
	if err != nil {
		return fail(err)
	}
	in := digest.Input{
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
	if len(in.Waiting)+in.Outside+in.Expired+in.Counts.Promoted+in.Counts.Rejected+in.Counts.Merged == 0 {
		return memory.Digest{}, change.Set{}, false, nil
	}
	d = digest.Compose(in)
	e := &Effect{Stamp: m.Stamp}
	for _, p := range stale {
		m.expire(e, p)
	}
	e.Set.Digests = []memory.Digest{d}
	e.AuditAs(memory.ActorSystem, "digest.sent", d.ID, map[string]string{"reviewer": d.Reviewer, "slot": d.Slot})
	m.tell(e, d, in.Waiting)
	return d, e.Set, true, nil
}

func (m *Mail) blank(language string) memory.Digest {
	id := m.NewID(memory.PrefixDigest)
	return memory.Digest{
		ID: id, Tenant: m.Tenant, Reviewer: m.Reviewer, Slot: m.Slot, Code: digest.Code(id), Language: language,
		Until: m.Now, CreatedAt: m.Now, ExpiresAt: m.Now.Add(replyFor),
	}
}

// from is where the reviewer's last digest ended.
func (m *Mail) from(ctx context.Context) (time.Time, error) {
	last, err := m.Store.Digests(ctx, m.Tenant, m.Reviewer, 1)
	if err != nil {
		return time.Time{}, err
	}
	if len(last) == 0 {
		return m.Now.Add(-firstWindow), nil
	}
	return last[0].Until, nil
}

// gatherWaiting sorts what waits into questions, text from outside, which takes
// no place, and what has waited too long, which it returns.
func (m *Mail) gatherWaiting(ctx context.Context, r routes, in *digest.Input) (stale []memory.Proposal, err error) {
	list, err := m.Store.Proposals(ctx, m.Tenant, store.ProposalQuery{
		States: []memory.ProposalState{memory.ProposalNeedsReview}, Limit: maxWaiting,
	})
	if err != nil {
		return nil, err
	}
	var asked []memory.Proposal
	scopes := map[memory.Scope]bool{}
	for _, p := range list {
		if r.reviewer(p.Scope) != m.Reviewer {
			continue
		}
		age := m.Now.Sub(p.CreatedAt)
		if age > m.Config.ExpireAfter {
			stale = append(stale, p)
			continue
		}
		if p.Authority <= memory.OriginExternal {
			in.Outside++
			continue
		}
		in.Oldest = max(in.Oldest, age)
		asked = append(asked, p)
		scopes[p.Scope] = true
	}
	in.Expired = len(stale)
	for s := range scopes {
		in.Scopes = append(in.Scopes, s)
	}
	slices.Sort(in.Scopes)
	in.Waiting, err = m.questions(ctx, asked)
	return stale, err
}

// questions adds to each proposal the decision that sent it to a person, and
// what it is about.
func (m *Mail) questions(ctx context.Context, asked []memory.Proposal) ([]digest.Question, error) {
	ids := make([]string, 0, len(asked))
	for _, p := range asked {
		if p.DecisionID != "" {
			ids = append(ids, p.DecisionID)
		}
	}
	standing := map[string]memory.Decision{}
	for chunk := range slices.Chunk(ids, 500) {
		list, err := m.Store.Decisions(ctx, m.Tenant, store.DecisionQuery{IDs: chunk, Limit: len(chunk)})
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			standing[d.ID] = d
		}
	}
	questions := make([]digest.Question, 0, len(asked))
	for _, p := range asked {
		d := standing[p.DecisionID]
		against, err := TextOf(ctx, m.Store, m.Tenant, d.Target)
		if err != nil {
			return nil, err
		}
		questions = append(questions, digest.Question{Proposal: p, Decision: d, Against: against})
	}
	return questions, nil
}

// gatherDone counts what happened without a person since the last digest, and
// lists what was promoted.
func (m *Mail) gatherDone(ctx context.Context, r routes, in *digest.Input) error {
	tally, err := m.Store.Tally(ctx, m.Tenant, in.Digest.From, in.Digest.Until)
	if err != nil {
		return err
	}
	in.Counts.RejectedBy = map[string]int{}
	for _, t := range tally {
		if t.Actor != memory.ActorTriage || r.reviewer(t.Scope) != m.Reviewer {
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

// maxSpots bounds the promotions that a sample is drawn from.
const maxSpots = 200

func (m *Mail) spots(ctx context.Context, r routes, from, until time.Time) ([]digest.Spot, error) {
	list, err := m.Store.Decisions(ctx, m.Tenant, store.DecisionQuery{
		Actor: memory.ActorTriage, Verdict: memory.VerdictPromoted, Since: from, Until: until, Newest: true, Limit: maxSpots,
	})
	if err != nil {
		return nil, err
	}
	var spots []digest.Spot
	for _, d := range list {
		// Since is inclusive; what the last digest showed is not shown again.
		if d.MemoryID == "" || !d.At.After(from) || r.reviewer(d.Scope) != m.Reviewer {
			continue
		}
		mem, err := m.Store.Memory(ctx, m.Tenant, d.MemoryID)
		if err != nil {
			return nil, err
		}
		if mem.State != memory.StateActive {
			continue // replaced or taken back since
		}
		spots = append(spots, digest.Spot{
			MemoryID: mem.ID, DecisionID: d.ID, Text: mem.Text, Rule: d.Rule, Scope: mem.Scope, Authority: mem.Authority,
		})
	}
	return spots, nil
}

// expire ends a question that nobody answered. It is counted, can be undone and
// is never a promotion (D8).
func (m *Mail) expire(e *Effect, p memory.Proposal) {
	d := m.Decision(p.Scope)
	d.Actor, d.Principal, d.Authority = memory.ActorSystem, p.Principal, p.Authority
	d.ProposalID, d.Verdict, d.Rule, d.Fired = p.ID, memory.VerdictExpired, ruleExpired, []string{ruleExpired}
	d.Reason = fmt.Sprintf("nobody decided it within %d days", int(m.Config.ExpireAfter.Hours()/24))
	p.State, p.Target, p.DecisionID = memory.ProposalExpired, "", d.ID
	e.UpdateProposal(p)
	e.Decide(d, &p)
}

// tell publishes the digest for the gateways, as text and as data.
func (m *Mail) tell(e *Effect, d memory.Digest, waiting []digest.Question) {
	id := m.NewID(memory.PrefixEvent)
	msg := &winnowv1.DigestTriage{
		Id: id, DigestId: d.ID, Reviewer: d.Reviewer, Slot: d.Slot, Code: d.Code, Text: d.Text,
		Grammar: digest.Grammar(d.Language), ReviewUrl: m.Config.ReviewURL, ExpiresAt: timestamppb.New(d.ExpiresAt),
	}
	for _, item := range d.Items {
		i := slices.IndexFunc(waiting, func(q digest.Question) bool { return q.Proposal.ID == item.ProposalID })
		q := waiting[i]
		entry := &winnowv1.DigestItem{
			Number: int32(item.Number), ProposalId: item.ProposalID, Text: q.Proposal.Text, Source: digest.Whence(q.Proposal),
			Recommendation: recommendation(item.Advice), Reason: q.Decision.Reason, Section: digest.SectionOf(q.Proposal),
		}
		if item.Advice == memory.AdviceReplace {
			entry.Replaces = q.Against
		}
		msg.Items = append(msg.Items, entry)
	}
	e.Emit(id, event.SubjectDigestTriage, msg)
}

// recommendation is the advice in the contract's words; empty where only the
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
