package weekly

import (
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Source says where the text of a merged memory came from (S1.15). It stands in the
// decision's features, beside the run and the model; the row itself has the tag
// memory.TagConsolidated.
const Source = "consolidation"

// Rules of the decisions of a run, by which an undo finds what to take back: RuleWeekly
// and RuleWeeklyDrop of package review.
const (
	ruleMerge   = "weekly.merge"
	ruleArchive = "weekly.drop"
	ruleWeekly  = "weekly"
)

// Step is the run's step that an outcome belongs to.
type Step struct {
	Run  memory.Run
	Item memory.RunItem // planned, of action weekly
	Now  time.Time      // UTC, truncated to microseconds like stored times
	// NewID returns a fresh id with the given prefix.
	NewID func(prefix string) string
	// Evidence of the sources, by memory. The new memory takes it over.
	Evidence map[string][]memory.Evidence
	// Model is the id of the model that answered.
	Model string
}

// Apply returns the change of the whole user: one transaction (S1.14), in which every
// archived row has a reason and, where there is one, its successor. Rows are guarded by
// the versions that were read. A dry run gets the item alone.
func Apply(s Step, memories []memory.Memory, out Outcome) change.Set {
	a := applier{step: s, scope: s.Run.Scope, rows: make(map[string]memory.Memory, len(memories))}
	for _, m := range memories {
		a.rows[m.ID] = m
	}
	item := s.Item
	item.State, item.EndedAt = memory.ItemApplied, s.Now
	if s.Run.Options.DryRun {
		item.State = memory.ItemPreviewed
	} else {
		for _, m := range out.Merges {
			id := a.merge(m)
			if item.MemoryID == "" {
				item.MemoryID = id
			}
		}
		for _, d := range out.Archives {
			a.archive(d)
		}
	}
	item.Sources = out.archived()
	item.Reason = out.Note
	item.Detail = out.detail(s.Run.Scope, s.Now, a.made)
	a.set.RunItems = append(a.set.RunItems, item)
	if !s.Run.Options.DryRun {
		a.audit("run.user", s.Run.ID, out.Log(s.Run.Scope, s.Now))
	}
	return a.set
}

// Skip returns the change for a user whose answer was not valid (S1.16): the item fails
// with the reason, and nothing else changes.
func Skip(s Step, why error) change.Set {
	item := s.Item
	item.State, item.EndedAt, item.Reason = memory.ItemFailed, s.Now, why.Error()
	return change.Set{RunItems: []memory.RunItem{item}}
}

// archived lists the memories that an outcome takes out of service, sorted.
func (out *Outcome) archived() []string {
	var ids []string
	for _, m := range out.Merges {
		for i := range m.Sources {
			ids = append(ids, m.Sources[i].ID)
		}
	}
	for _, d := range out.Archives {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

type applier struct {
	step  Step
	scope memory.Scope
	rows  map[string]memory.Memory
	set   change.Set
	made  []string // ids of the merges, in their order
}

// merge records the new memory, with everything that its sources had, and archives them.
func (a *applier) merge(m Merge) string {
	made := a.product(m)
	d := a.decision(ruleMerge, made)
	d.Reason = reasonOf(m)
	made.DecisionID = d.ID
	a.set.Memories = append(a.set.Memories, made)
	ids := make([]string, 0, len(m.Sources))
	for i := range m.Sources {
		id := m.Sources[i].ID
		ids = append(ids, id)
		a.evidence(id, made.ID)
		for _, kind := range []memory.LinkKind{memory.LinkConsolidates, memory.LinkSupersedes} {
			a.set.Links = append(a.set.Links, memory.Link{Tenant: made.Tenant, From: made.ID, To: id, Kind: kind})
		}
		a.retire(id, memory.ReasonConsolidated, made.ID, d.ID)
	}
	d.Candidates = candidates(m.Sources)
	a.set.Decisions = append(a.set.Decisions, d)
	eventID := a.step.NewID(memory.PrefixEvent)
	a.emit(eventID, event.SubjectMemoryRecorded, &winnowv1.MemoryRecorded{
		Id: eventID, MemoryId: made.ID, Scope: string(made.Scope), Kind: string(made.Kind), Section: made.Section,
		DecisionId: d.ID, Supersedes: ids, RecordedAt: timestamppb.New(a.step.Now),
	})
	a.audit("memory.recorded", made.ID, map[string]string{"decision": d.ID, "run": a.step.Run.ID})
	a.made = append(a.made, made.ID)
	return made.ID
}

func reasonOf(m Merge) string {
	if m.Achieved {
		return "The weekly run merged a plan with what says that it was achieved."
	}
	return "The weekly run merged memories that say the same."
}

// product returns the merged memory. Its trust is the least of its sources', its dates are
// the latest of theirs, and created_at is now (S1.15).
func (a *applier) product(m Merge) memory.Memory {
	first := m.Sources[0]
	made := memory.Memory{
		ID: a.step.NewID(memory.PrefixMemory), Tenant: first.Tenant, Scope: first.Scope, State: memory.StateActive,
		Kind: first.Kind, Section: first.Section, Title: m.Merged.Title, Description: m.Merged.Description, Text: m.Merged.Text,
		Category: m.Category, Importance: m.Importance, Confidence: m.Merged.Confidence, Outcome: first.Outcome,
		Origin: first.Origin, Authority: first.Authority, CreatedAt: a.step.Now,
	}
	for i := range m.Sources {
		s := &m.Sources[i]
		made.Origin, made.Authority = memory.Least(made.Origin, s.Origin), memory.Least(made.Authority, s.Authority)
		made.SeenCount += max(s.SeenCount, 1)
		made.ObservedAt, made.LastConfirmed = later(made.ObservedAt, s.ObservedAt), later(made.LastConfirmed, s.LastConfirmed)
		if made.Kind == memory.KindTask {
			made.Kind, made.Section = s.Kind, s.Section // an achieved goal is no task any more
		}
		if s.Section != made.Section {
			made.Section = memory.SectionFor(made.Kind)
		}
		made.Tags = union(made.Tags, s.Tags)
		made.Topics = union(made.Topics, s.Topics)
	}
	made.Tags = union(made.Tags, []string{memory.TagConsolidated})
	return made
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// union appends what is not there yet, in the order of appearance.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// evidence gives the new memory what stood behind a source; the source keeps its own.
func (a *applier) evidence(source, made string) {
	for _, e := range a.step.Evidence[source] {
		e.ID, e.Subject = a.step.NewID(memory.PrefixEvidence), made
		a.set.Evidence = append(a.set.Evidence, e)
	}
}

// archive takes a memory out of service without a successor.
func (a *applier) archive(d Archive) {
	m := a.rows[d.ID]
	made := a.decision(ruleArchive, m)
	made.Verdict, made.Reason = memory.VerdictRejected, "The weekly run archived it ("+d.Reason+")."
	a.set.Decisions = append(a.set.Decisions, made)
	a.retire(d.ID, d.Reason, "", made.ID)
}

// retire archives a row, with its event and audit entry.
func (a *applier) retire(id, reason, successor, decision string) {
	m := a.rows[id]
	a.set.MemoryUpdates = append(a.set.MemoryUpdates, change.MemoryUpdate{
		ID: m.ID, State: memory.StateArchived, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: a.step.Now, ArchiveReason: reason, SuccessorID: successor, Expect: m.Version,
	})
	eventID := a.step.NewID(memory.PrefixEvent)
	a.emit(eventID, event.SubjectMemoryArchived, &winnowv1.MemoryArchived{
		Id: eventID, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), SuccessorId: successor, Reason: reason,
		DecisionId: decision, ArchivedAt: timestamppb.New(a.step.Now),
	})
	body := map[string]string{"decision": decision, "reason": reason, "run": a.step.Run.ID}
	if successor != "" {
		body["successor"] = successor
	}
	a.audit("memory.archived", m.ID, body)
}

func (a *applier) decision(rule string, m memory.Memory) memory.Decision {
	features, _ := json.Marshal(map[string]string{"run": a.step.Run.ID, "source": Source, "model": a.step.Model}) // plain strings: cannot fail
	return memory.Decision{
		ID: a.step.NewID(memory.PrefixDecision), Tenant: m.Tenant, Scope: m.Scope, Verdict: memory.VerdictPromoted,
		Rule: rule, Fired: []string{rule, ruleWeekly}, MemoryID: m.ID, Features: features,
		Actor: memory.ActorSystem, Authority: m.Authority, At: a.step.Now,
	}
}

func candidates(sources []memory.Memory) []memory.Candidate {
	out := make([]memory.Candidate, len(sources))
	for i := range sources {
		s := &sources[i]
		out[i] = memory.Candidate{
			ID: s.ID, Role: memory.RoleMemory, Section: s.Section, Kind: s.Kind, Authority: s.Authority,
			ObservedAt: s.ObservedAt, CreatedAt: s.CreatedAt,
		}
	}
	return out
}

func (a *applier) emit(id, subject string, m proto.Message) {
	a.set.Events = append(a.set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: m})
}

func (a *applier) audit(action, subject string, body any) {
	a.set.Audit = append(a.set.Audit, change.Audit{Actor: memory.ActorSystem, Action: action, Subject: subject, Body: body})
}
