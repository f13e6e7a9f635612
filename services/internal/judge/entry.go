package judge

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Entry is a stored text in a lane: what rules read of it, and the mutable part of
// its row, so that an update can write that part whole.
type Entry struct {
	ID         string
	Role       memory.CandidateRole
	Text       string
	Kind       memory.Kind
	Section    string
	Authority  memory.Origin
	ObservedAt time.Time
	CreatedAt  time.Time // of a settled proposal: when the person rejected it

	ProposalID    string // of a memory: the proposal it came from
	DecisionID    string
	Target        string // of a proposal
	SeenCount     int
	LastConfirmed time.Time
	Confidence    float64
	Version       int64

	// Witnesses are those known so far, the author first. They need only be complete
	// enough to show a second principal.
	Witnesses []memory.Witness
}

// EntryOfMemory returns the entry of an active memory. evidence may be nil.
func EntryOfMemory(m memory.Memory, evidence []memory.Evidence) Entry {
	return Entry{
		ID: m.ID, Role: memory.RoleMemory, Text: m.Text, Kind: m.Kind, Section: m.Section, Authority: m.Authority,
		ObservedAt: m.ObservedAt, CreatedAt: m.CreatedAt, ProposalID: m.ProposalID, DecisionID: m.DecisionID,
		SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed, Confidence: m.Confidence, Version: m.Version,
		Witnesses: m.Witnesses(evidence),
	}
}

// EntryOfProposal returns the entry of a waiting proposal, or of one that a person
// rejected (role settled). CreatedAt of the latter should be the time of the
// rejection.
func EntryOfProposal(p memory.Proposal, role memory.CandidateRole, evidence []memory.Evidence) Entry {
	return Entry{
		ID: p.ID, Role: role, Text: p.Text, Kind: p.Kind, Section: p.Section, Authority: p.Authority,
		ObservedAt: p.ObservedAt, CreatedAt: p.CreatedAt, ProposalID: p.ID, DecisionID: p.DecisionID, Target: p.Target,
		SeenCount: p.SeenCount, LastConfirmed: p.LastConfirmed, Version: p.Version,
		Witnesses: p.Witnesses(evidence),
	}
}
