package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// RuleSummary is the rule of decisions that put a topic summary in force.
const RuleSummary = "summary"

// reasonNewer is why a summary is archived that another one replaces.
const reasonNewer = "replaced by a newer summary"

// maxCorpus bounds the memories of a topic that a summary is checked against, and
// maxVersions the earlier summaries that can be put back.
const (
	maxCorpus   = 1000
	maxVersions = 100
)

// Summary is a topic summary that an agent or a person wants in force.
type Summary struct {
	Topic     store.Topic
	Content   string
	RestoreID string
	Session   string          // that it was written in, as its publisher calls it
	Research  *topic.Research // nil: not held to the protocol
	Protocol  string
	// Origin is where the words come from: that of a person here is human, that of an
	// agent what its principal may claim.
	Origin     memory.Origin
	Confidence float64
}

// Summarised is the result of a summary.
type Summarised struct {
	ID       string      `json:"id"`
	Topic    store.Topic `json:"-"`
	Name     string      `json:"topic"`
	Scope    string      `json:"scope"`
	Memories int         `json:"memories"` // of the topic
	Tokens   int         `json:"tokens"`
	Replaced string      `json:"replaced,omitempty"` // the archived summary
	Restored string      `json:"restored,omitempty"` // the archived summary whose text it is
	Decision string      `json:"decision"`
	Notes    []string    `json:"notes,omitempty"`
}

// Corpus reads what is stored about a topic.
func (d *Decider) Corpus(ctx context.Context, t store.Topic) (topic.Corpus, error) {
	c := topic.Corpus{Topic: t.Name}
	scopes := []memory.Scope{t.Scope}
	counts, err := d.Store.TopicCounts(ctx, d.Tenant, t)
	if err != nil {
		return c, fmt.Errorf("topic %s: %w", t.Name, err)
	}
	c.Count = counts[t]
	if c.Members, err = d.Store.TopicMembers(ctx, d.Tenant, store.TopicQuery{Scopes: scopes, Name: t.Name, Limit: maxCorpus}); err != nil {
		return c, fmt.Errorf("topic %s: %w", t.Name, err)
	}
	inForce, err := d.Store.Summaries(ctx, d.Tenant, store.SummaryQuery{Scopes: scopes, Topic: t.Name, State: memory.StateActive, Limit: 1})
	if err != nil {
		return c, fmt.Errorf("topic %s: %w", t.Name, err)
	}
	if len(inForce) > 0 {
		c.Current = &inForce[0]
	}
	c.Archived, err = d.Store.Summaries(ctx, d.Tenant, store.SummaryQuery{Scopes: scopes, Topic: t.Name, State: memory.StateArchived, Limit: maxVersions})
	if err != nil {
		return c, fmt.Errorf("topic %s: %w", t.Name, err)
	}
	return c, nil
}

// Summarise puts a summary in force and archives the one before, in one change. The
// error wraps [topic.ErrRefused] where the summary does not meet the requirements. A
// summary that another author stored meanwhile fails the commit with
// [store.ErrConflict]: decide again then.
func (d *Decider) Summarise(ctx context.Context, s Summary) (Effect, Summarised, error) {
	c, err := d.Corpus(ctx, s.Topic)
	if err != nil {
		return Effect{}, Summarised{}, err
	}
	decided, err := topic.Decide(c, topic.Request{
		Content: d.Redact(s.Content), RestoreID: s.RestoreID, Research: s.Research, Protocol: s.Protocol, Authority: s.Origin, Now: d.Now,
	})
	if err != nil {
		return Effect{}, Summarised{}, err
	}
	e := Effect{Stamp: d.Stamp}
	return e, e.summarise(s, c, decided), nil
}

// summarise writes the effect of a summary that may be stored.
func (e *Effect) summarise(s Summary, c topic.Corpus, decided topic.Decision) Summarised {
	m := memory.Memory{
		ID: e.NewID(memory.PrefixMemory), Tenant: e.Tenant, Scope: s.Topic.Scope, State: memory.StateActive,
		Kind: memory.KindSummary, Section: memory.SectionFor(memory.KindSummary),
		// Both are searched like the text, so that a question about the topic finds it.
		Title: c.Topic, Description: "Executive summary of the topic " + strings.ReplaceAll(c.Topic, "-", " ") + ".", Text: decided.Content,
		Topics: []string{c.Topic}, SummaryTopic: c.Topic, SummaryCount: c.Count, SummaryAt: e.Now,
		Importance: DefaultImportance, Confidence: s.Confidence, Principal: e.Person, Origin: s.Origin, Authority: decided.Authority,
		CreatedAt: e.Now, LastConfirmed: e.Now, SeenCount: 1,
	}
	d := e.Decision(m.Scope)
	d.Verdict, d.Rule, d.Fired, d.MemoryID, d.Authority = memory.VerdictPromoted, RuleSummary, []string{RuleSummary}, m.ID, m.Authority
	d.Reason = fmt.Sprintf("%s summarised %d memories on %s", e.Person, c.Count, c.Topic)
	if s.Origin != memory.OriginHuman {
		e.As, d.Actor = memory.ActorSystem, memory.ActorSystem
	}
	done := Summarised{
		ID: m.ID, Topic: s.Topic, Name: c.Topic, Scope: string(m.Scope), Memories: c.Count, Tokens: topic.Tokens(m.Text),
		Decision: d.ID, Notes: decided.Notes,
	}
	link := func(to string) {
		e.Set.Links = append(e.Set.Links, memory.Link{Tenant: e.Tenant, From: m.ID, To: to, Kind: memory.LinkDerivedFrom})
	}
	if r := decided.Restored; r != nil {
		m.Origin, done.Restored = r.Origin, r.ID
		d.Reason = fmt.Sprintf("%s put back the summary of %s from %s", e.Person, c.Topic, r.SummaryAt.UTC().Format("2006-01-02"))
		link(r.ID)
	}
	// Lineage: what is retracted takes the summary that carries it along.
	for _, id := range decided.Carried {
		link(id)
	}
	m.DecisionID = d.ID
	e.Set.Memories = append(e.Set.Memories, m)
	e.Set.Evidence = append(e.Set.Evidence, memory.Evidence{
		ID: e.NewID(memory.PrefixEvidence), Tenant: e.Tenant, Subject: m.ID, Principal: e.Person, SessionID: s.Session, Origin: s.Origin, ObservedAt: e.Now,
	})
	var supersedes []string
	if c.Current != nil {
		done.Replaced = c.Current.ID
		supersedes = []string{c.Current.ID}
		e.Supersede(*c.Current, m, reasonNewer, d.ID)
	}
	e.Recorded(m, d.ID, supersedes...)
	e.Decide(d, nil)
	return done
}
