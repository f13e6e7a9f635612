package memory

import "time"

// Witness is a source of a statement: a principal in a session.
type Witness struct {
	ProposalID string
	Principal  string
	Session    string
	Origin     Origin
	ObservedAt time.Time
}

// Witnesses lists the witnesses of a memory, its author first. evidence may be
// nil.
func (m *Memory) Witnesses(evidence []Evidence) []Witness {
	return witnesses(Witness{ProposalID: m.ProposalID, Principal: m.Principal, Origin: m.Origin, ObservedAt: m.ObservedAt}, evidence)
}

// Witnesses lists the witnesses of a proposal, its author first. evidence may be
// nil.
func (p *Proposal) Witnesses(evidence []Evidence) []Witness {
	return witnesses(Witness{ProposalID: p.ID, Principal: p.Principal, Session: p.SessionID, Origin: p.Origin, ObservedAt: p.ObservedAt}, evidence)
}

// The author's own evidence adds only the session.
func witnesses(author Witness, evidence []Evidence) []Witness {
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

// Corroborated returns the authority of a text after corroboration by its
// witnesses. Two distinct principals in two distinct sessions lift an agent's
// statement by one step. Only a person lifts external or unknown text. Copies by
// one principal or in one session count once (SPEC §7).
func Corroborated(authority Origin, w []Witness) Origin {
	if authority != OriginAgent {
		return authority
	}
	for i := range w {
		for j := range i {
			a, b := w[i], w[j]
			if min(a.Origin, b.Origin) >= OriginAgent && a.Principal != b.Principal && a.Session != "" && b.Session != "" && a.Session != b.Session {
				return OriginFirstParty
			}
		}
	}
	return authority
}

// HasWitness reports whether w already contains the witness x: the same principal in
// the same session.
func HasWitness(w []Witness, x Witness) bool {
	for _, y := range w {
		if y.Principal == x.Principal && y.Session == x.Session && x.Session != "" {
			return true
		}
	}
	return false
}
