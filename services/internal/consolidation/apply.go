package consolidation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Rules of the decisions of a run.
const (
	RuleConsolidate = "consolidate" // the engine merged a group
	RuleTheme       = "theme"       // a group is offered to a person
	// RuleContradiction is that of a group that was not merged because two of its memories
	// contradict each other.
	RuleContradiction = "contradiction"
)

// Product is the text that stands for the sources of a group.
type Product struct {
	Title, Description, Text string
	// Tags are added to those of the sources; those that mean something to Winnow are
	// left out.
	Tags       []string
	Confidence float64 // 0–1
	By         string  // what wrote the text: the id of a model, or "concatenation"
}

// Act is one group at the time of its transaction.
type Act struct {
	Now   time.Time // UTC, to the microsecond
	NewID func(prefix string) string
	RunID string
	// Item is the planned step; the change has it with its result. The zero value
	// stands for none.
	Item  memory.RunItem
	Group Group
	// Sources are the members and copies of the group as they are now, all active. Their
	// versions guard the commit.
	Sources []Candidate
	// Evidence is that of the sources.
	Evidence []memory.Evidence
	Product  Product
	// Similarity names what compared: embedding, lexical or both. Calibration is the id
	// of its points.
	Similarity, Calibration string
}

// Apply returns the change of a merged group, and the new memory: the memory, its links
// to the sources (S0.47, S4.53), the sources archived with it as their successor (D9),
// their evidence, the decision, events and audit entries. The commit fails with
// store.ErrConflict when a source changed meanwhile.
//
// The new memory has the union of the tags and topics, the greatest importance (S0.58),
// and the least origin and authority of its sources, because it has the words of all.
func Apply(a Act) (change.Set, memory.Memory) {
	a.sort()
	var set change.Set
	d := a.decision(RuleConsolidate, memory.VerdictPromoted)
	m := a.memory(d.ID)
	d.MemoryID = m.ID
	set.Memories = []memory.Memory{m}
	set.Decisions = []memory.Decision{d}
	set.Evidence = evidenceFor(m.ID, a.NewID, a.Sources, a.Evidence)
	a.emitRecorded(&set, m)
	for i := range a.Sources {
		a.archive(&set, &a.Sources[i].Memory, m)
	}
	set.Audit = append(set.Audit, change.Audit{
		Actor: d.Actor, Action: "proposal.decided", Subject: m.ID,
		Body: actBody{Run: a.RunID, Decision: d.ID, Verdict: string(d.Verdict), Rule: d.Rule, Memory: m.ID, Sources: len(a.Sources), By: a.Product.By},
	})
	a.finish(&set, memory.ItemApplied, m.ID, "")
	return set, m
}

// finish adds the step with its result. Details are the caller's.
func (a *Act) finish(set *change.Set, state memory.RunItemState, made, asked string) {
	if a.Item.RunID == "" {
		return
	}
	item := a.Item
	item.State, item.MemoryID, item.ProposalID, item.EndedAt = state, made, asked, a.Now
	item.Sources = make([]string, len(a.Sources))
	for i := range a.Sources {
		item.Sources[i] = a.Sources[i].ID
	}
	set.RunItems = append(set.RunItems, item)
}

// sort orders the sources by id, so that equal acts give equal changes.
func (a *Act) sort() {
	a.Sources = slices.Clone(a.Sources)
	slices.SortFunc(a.Sources, func(x, y Candidate) int { return strings.Compare(x.ID, y.ID) })
}

// features are what a decision about a group read.
type features struct {
	Run     string   `json:"run"`
	Mode    Mode     `json:"mode"`
	Average float64  `json:"average_similarity"`
	Minimum float64  `json:"min_similarity"`
	By      string   `json:"by"`
	Sources []string `json:"sources"`
}

// decision returns the decision about the group, without the row that it is about.
func (a *Act) decision(rule string, verdict memory.Verdict) memory.Decision {
	f := features{Run: a.RunID, Mode: a.Group.Mode, Average: a.Group.Average, Minimum: a.Group.Minimum, By: a.Product.By}
	d := memory.Decision{
		ID: a.NewID(memory.PrefixDecision), Tenant: a.Sources[0].Tenant, Scope: a.Sources[0].Scope,
		Verdict: verdict, Rule: rule, Fired: []string{rule}, Reason: a.Group.Why, Calibration: a.Calibration,
		Inputs: memory.Inputs{Similarity: a.Similarity}, Actor: memory.ActorSystem, At: a.Now,
	}
	var authorities []memory.Origin
	for i := range a.Sources {
		s := &a.Sources[i]
		f.Sources = append(f.Sources, s.ID)
		authorities = append(authorities, s.Authority)
		d.Candidates = append(d.Candidates, memory.Candidate{
			ID: s.ID, Role: memory.RoleMemory, Similarity: a.Group.Average, Section: s.Section, Kind: s.Kind,
			Authority: s.Authority, ObservedAt: s.ObservedAt,
		})
	}
	d.Authority = memory.Least(authorities...)
	d.Features, _ = json.Marshal(f) // of strings and finite numbers
	return d
}

// memory returns the memory that stands for the sources.
func (a *Act) memory(decision string) memory.Memory {
	first := &a.Sources[0].Memory
	m := memory.Memory{
		ID: a.NewID(memory.PrefixMemory), Tenant: first.Tenant, Scope: first.Scope, State: memory.StateActive,
		Kind: first.Kind, Section: commonest(a.Sources, func(m *memory.Memory) string { return m.Section }),
		Title: a.Product.Title, Description: a.Product.Description, Text: a.Product.Text,
		Category: commonest(a.Sources, func(m *memory.Memory) string { return m.Category }),
		Tags:     append(TagsOf(a.Sources, a.Product.Tags), TagConsolidated), Topics: topicsOf(a.Sources), MacroTopics: macroTopicsOf(a.Sources),
		Confidence: min(max(a.Product.Confidence, 0), 1), Outcome: first.Outcome,
		Principal: first.Principal, Origin: first.Origin, Authority: first.Authority,
		CreatedAt: a.Now, DecisionID: decision,
	}
	slices.Sort(m.Tags)
	for i := range a.Sources {
		s := &a.Sources[i].Memory
		m.Importance = max(m.Importance, s.Importance)
		m.Origin, m.Authority = min(m.Origin, s.Origin), min(m.Authority, s.Authority)
		m.ObservedAt, m.LastConfirmed = latest(m.ObservedAt, s.ObservedAt), latest(m.LastConfirmed, s.LastConfirmed)
		m.SeenCount += max(s.SeenCount, 1)
		if s.Principal != m.Principal {
			m.Principal = "" // several people said it; the evidence says who
		}
	}
	return m
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// commonest returns the value that most sources have, of equally common ones that of
// the smallest id.
func commonest(sources []Candidate, of func(*memory.Memory) string) string {
	count := map[string]int{}
	best := ""
	for i := range sources {
		count[of(&sources[i].Memory)]++
	}
	for i := range sources {
		if v := of(&sources[i].Memory); i == 0 || count[v] > count[best] {
			best = v
		}
	}
	return best
}

// TagsOf returns the union of the sources' tags and more, sorted, without the tag
// consolidated. Of more, tags that mean something to Winnow are left out: only Winnow
// sets them.
func TagsOf(sources []Candidate, more []string) []string {
	var all []string
	for i := range sources {
		for _, t := range sources[i].Tags {
			if t != TagConsolidated && t != TagSuperseded {
				all = append(all, t)
			}
		}
	}
	for _, t := range more {
		if t = strings.TrimSpace(t); t != "" && !memory.ReservedTag(t) {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func topicsOf(sources []Candidate) []string {
	var all []string
	for i := range sources {
		all = append(all, sources[i].Topics...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func macroTopicsOf(sources []Candidate) []string {
	var all []string
	for i := range sources {
		all = append(all, sources[i].MacroTopics...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// evidenceFor returns the evidence of the sources for the row subject, so that it still
// says who said each of its parts. A source whose author left no evidence gets one.
// Equal witnesses count once.
func evidenceFor(subject string, newID func(string) string, sources []Candidate, evidence []memory.Evidence) []memory.Evidence {
	type witness struct{ principal, session, role, span string }
	var out []memory.Evidence
	heard := map[witness]bool{}
	add := func(e memory.Evidence) {
		w := witness{e.Principal, e.SessionID, e.Role, e.Span}
		if heard[w] {
			return
		}
		heard[w] = true
		e.ID, e.Subject = newID(memory.PrefixEvidence), subject
		out = append(out, e)
	}
	bySource := map[string][]memory.Evidence{}
	for _, e := range evidence {
		bySource[e.Subject] = append(bySource[e.Subject], e)
	}
	for i := range sources {
		s := &sources[i]
		own := bySource[s.ID]
		slices.SortFunc(own, func(a, b memory.Evidence) int { return strings.Compare(a.ID, b.ID) })
		spoke := false
		for _, e := range own {
			spoke = spoke || e.Principal == s.Principal
			add(e)
		}
		if !spoke {
			add(memory.Evidence{Tenant: s.Tenant, ProposalID: s.ProposalID, Principal: s.Principal, Origin: s.Origin, ObservedAt: s.ObservedAt})
		}
	}
	return out
}

func (a *Act) emitRecorded(set *change.Set, m memory.Memory) {
	msg := &winnowv1.MemoryRecorded{
		Id: a.NewID(memory.PrefixEvent), MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), Section: m.Section,
		DecisionId: m.DecisionID, RecordedAt: timestamppb.New(a.Now),
	}
	for i := range a.Sources {
		msg.Supersedes = append(msg.Supersedes, a.Sources[i].ID)
	}
	emit(set, msg.GetId(), event.SubjectMemoryRecorded, msg)
	set.Audit = append(set.Audit, change.Audit{
		Actor: memory.ActorSystem, Action: "memory.recorded", Subject: m.ID,
		Body: actBody{Run: a.RunID, Decision: m.DecisionID, Memory: m.ID, Sources: len(a.Sources), By: a.Product.By},
	})
}

// archive takes a source out of service in favour of m.
func (a *Act) archive(set *change.Set, s *memory.Memory, m memory.Memory) {
	set.MemoryUpdates = append(set.MemoryUpdates, change.MemoryUpdate{
		ID: s.ID, State: memory.StateArchived, Confidence: s.Confidence, SeenCount: s.SeenCount, LastConfirmed: s.LastConfirmed,
		ArchivedAt: a.Now, ArchiveReason: memory.ReasonConsolidated, SuccessorID: m.ID, Expect: s.Version,
	})
	for _, kind := range []memory.LinkKind{memory.LinkConsolidates, memory.LinkSupersedes} {
		set.Links = append(set.Links, memory.Link{Tenant: s.Tenant, From: m.ID, To: s.ID, Kind: kind})
	}
	msg := &winnowv1.MemoryArchived{
		Id: a.NewID(memory.PrefixEvent), MemoryId: s.ID, Scope: string(s.Scope), Kind: string(s.Kind), SuccessorId: m.ID,
		Reason: memory.ReasonConsolidated, DecisionId: m.DecisionID, ArchivedAt: timestamppb.New(a.Now),
	}
	emit(set, msg.GetId(), event.SubjectMemoryArchived, msg)
	set.Audit = append(set.Audit, change.Audit{
		Actor: memory.ActorSystem, Action: "memory.archived", Subject: s.ID,
		Body: actBody{Run: a.RunID, Decision: m.DecisionID, Memory: s.ID, Successor: m.ID, Reason: memory.ReasonConsolidated},
	})
}

// actBody is an audit entry of a run: ids and counts, no text.
type actBody struct {
	Run       string `json:"run,omitempty"`
	Decision  string `json:"decision"`
	Verdict   string `json:"verdict,omitempty"`
	Rule      string `json:"rule,omitempty"`
	Memory    string `json:"memory,omitempty"`
	Proposal  string `json:"proposal,omitempty"`
	Successor string `json:"successor,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Sources   int    `json:"sources,omitempty"`
	By        string `json:"by,omitempty"`
}

func emit(set *change.Set, id, subject string, m proto.Message) {
	set.Events = append(set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: m})
}
