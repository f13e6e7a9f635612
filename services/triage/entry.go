package triage

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Witness is somebody who said what a text says: a principal in a session.
type Witness struct {
	ProposalID string
	Principal  string
	Session    string
	Origin     memory.Origin
	ObservedAt time.Time
}

// Entry is a stored text as a lane knows it: what rules read of it, and the
// mutable part of its row, so that an update can give that part whole.
type Entry struct {
	ID         string
	Role       memory.CandidateRole
	Text       string
	Kind       memory.Kind
	Section    string
	Authority  memory.Origin
	ObservedAt time.Time
	CreatedAt  time.Time // of a settled one: when the person rejected it

	ProposalID    string // of a memory: the proposal it came from
	DecisionID    string
	Target        string // of a proposal
	SeenCount     int
	LastConfirmed time.Time
	Confidence    float64
	Version       int64

	// Witnesses are known so far, the author first. They only have to be
	// complete enough to see a second principal.
	Witnesses []Witness
}

// EntryOfMemory makes the entry of an active memory. evidence may be nil.
func EntryOfMemory(m memory.Memory, evidence []memory.Evidence) Entry {
	return Entry{
		ID: m.ID, Role: memory.RoleMemory, Text: m.Text, Kind: m.Kind, Section: m.Section, Authority: m.Authority,
		ObservedAt: m.ObservedAt, CreatedAt: m.CreatedAt, ProposalID: m.ProposalID, DecisionID: m.DecisionID,
		SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed, Confidence: m.Confidence, Version: m.Version,
		Witnesses: witnesses(Witness{ProposalID: m.ProposalID, Principal: m.Principal, Origin: m.Origin, ObservedAt: m.ObservedAt}, evidence),
	}
}

// EntryOfProposal makes the entry of a waiting proposal, or of one that a
// person rejected (role settled; CreatedAt should then be the time of that).
func EntryOfProposal(p memory.Proposal, role memory.CandidateRole, evidence []memory.Evidence) Entry {
	return Entry{
		ID: p.ID, Role: role, Text: p.Text, Kind: p.Kind, Section: p.Section, Authority: p.Authority,
		ObservedAt: p.ObservedAt, CreatedAt: p.CreatedAt, ProposalID: p.ID, DecisionID: p.DecisionID, Target: p.Target,
		SeenCount: p.SeenCount, LastConfirmed: p.LastConfirmed, Version: p.Version,
		Witnesses: witnesses(Witness{ProposalID: p.ID, Principal: p.Principal, Session: p.SessionID, Origin: p.Origin, ObservedAt: p.ObservedAt}, evidence),
	}
}

func witnesses(author Witness, evidence []memory.Evidence) []Witness {
	out := make([]Witness, 1, 1+len(evidence))
	out[0] = author
	for _, e := range evidence {
		if e.ProposalID == author.ProposalID && e.Principal == author.Principal {
			if out[0].Session == "" {
				out[0].Session = e.SessionID
			}
			continue
		}
		out = append(out, Witness{ProposalID: e.ProposalID, Principal: e.Principal, Session: e.SessionID, Origin: e.Origin, ObservedAt: e.ObservedAt})
	}
	return out
}

// Corroborated is the authority of an agent's statement with these witnesses.
func (e Entry) Corroborated() memory.Origin { return corroborated(memory.OriginAgent, e.Witnesses) }

// corroborated is the authority that the witnesses together lend: two distinct
// principals in two distinct sessions lift an agent's statement by one step.
// External and unknown text is lifted by nobody but a person, and copies by one
// principal or in one session count once (SPEC §7).
func corroborated(authority memory.Origin, w []Witness) memory.Origin {
	if authority != memory.OriginAgent {
		return authority
	}
	for i := range w {
		for j := range i {
			a, b := w[i], w[j]
			if min(a.Origin, b.Origin) >= memory.OriginAgent && a.Principal != b.Principal && a.Session != "" && b.Session != "" && a.Session != b.Session {
				return memory.OriginFirstParty
			}
		}
	}
	return authority
}

// known reports that this witness was counted before: the same principal in the
// same session.
func known(w []Witness, x Witness) bool {
	for _, y := range w {
		if y.Principal == x.Principal && y.Session == x.Session && x.Session != "" {
			return true
		}
	}
	return false
}
