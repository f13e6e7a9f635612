package event

import (
	"fmt"
	"strings"
)

// Subjects that others publish on. Each may end in one more token, the
// publisher's principal: session.completed.ci-bot.
const (
	// SubjectSessionCompleted: an agent session has ended. SessionCompleted.
	SubjectSessionCompleted = "session.completed"
	// SubjectProposalCreated: a text to be remembered was proposed.
	// ProposalCreated.
	SubjectProposalCreated = "memory.proposal.created"
	// SubjectDigestReply: a person's answer to a digest. DigestReply.
	SubjectDigestReply = "memory.digest.reply"
)

// Subjects that Winnow itself publishes on. They carry no principal.
const (
	// SubjectSessionIngested: a session is stored and may be distilled.
	// SessionIngested.
	SubjectSessionIngested = "memory.session.ingested"
	// SubjectProposalDecided: the verdict on a proposal. ProposalDecided.
	SubjectProposalDecided = "memory.proposal.decided"
	// SubjectMemoryRecorded: a memory became active. MemoryRecorded.
	SubjectMemoryRecorded = "memory.recorded"
	// SubjectMemoryArchived: a memory is no longer active. MemoryArchived.
	SubjectMemoryArchived = "memory.archived"
	// SubjectSignalRecorded: an observation about the worth of a memory.
	// SignalRecorded.
	SubjectSignalRecorded = "memory.signal.recorded"
	// SubjectConsolidationRequested: a scope is to be consolidated.
	// ConsolidationRequested.
	SubjectConsolidationRequested = "memory.consolidation.requested"
	// SubjectConsolidationPlanned: one step of a planned run is to be taken.
	// ConsolidationPlanned.
	SubjectConsolidationPlanned = "memory.consolidation.planned"
	// SubjectConsolidationCompleted: the result of that. ConsolidationCompleted.
	SubjectConsolidationCompleted = "memory.consolidation.completed"
	// SubjectDigestDue: a reviewer's digest is to be made. DigestDue.
	SubjectDigestDue = "memory.digest.due"
	// SubjectDigestTriage: a digest as shown to a person. DigestTriage. Two more
	// tokens name the tenant and the reviewer; see SubjectForReviewer.
	SubjectDigestTriage = "memory.digest.triage"
	// SubjectDigestAnswered: what became of a reply to a digest. DigestAnswered.
	// Two more tokens name the tenant and the reviewer, as above.
	SubjectDigestAnswered = "memory.digest.answered"
)

// MaxPrincipal is the longest principal, in bytes.
const MaxPrincipal = 64

// ValidPrincipal reports whether s can name a principal: one to MaxPrincipal
// characters of A–Z, a–z, 0–9, hyphen and underscore, so that it is exactly one
// token of a subject and never a wildcard.
func ValidPrincipal(s string) bool {
	if len(s) == 0 || len(s) > MaxPrincipal {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// SubjectFor returns the subject on which principal publishes bare. An empty
// principal gives bare itself. The error is ErrSubject: bare is unknown or
// takes no principal, or the principal is not valid.
func SubjectFor(bare, principal string) (string, error) {
	k, ok := kinds[bare]
	switch {
	case !ok:
		return "", fmt.Errorf("%w: %q is not a subject of Winnow", ErrSubject, bare)
	case principal == "":
		return bare, nil
	case !k.fromPrincipal:
		return "", fmt.Errorf("%w: %s carries no principal", ErrSubject, bare)
	case !ValidPrincipal(principal):
		return "", invalidPrincipal(principal)
	}
	return bare + "." + principal, nil
}

// SubjectForReviewer returns the subject on which Winnow publishes what is meant
// for one reviewer of one tenant: bare, the tenant and the reviewer. An empty
// reviewer gives the subject without the last token. What is no character of a
// principal is percent-encoded, so that each name is exactly one token, two names
// never give the same one, and neither is a wildcard.
func SubjectForReviewer(bare, tenant, reviewer string) string {
	s := bare + "." + token(tenant)
	if reviewer != "" {
		s += "." + token(reviewer)
	}
	return s
}

// SubjectJSON returns the subject on which the copy in JSON of an event to a reviewer is
// published: subject, which is one of [SubjectForReviewer], with one more token. It is
// empty for the subject of any other event: those have no copy.
func SubjectJSON(subject string) string {
	bare, _, err := SplitSubject(subject)
	if err != nil || !kinds[bare].toReviewer || bare == subject || isCopy(subject[len(bare)+1:]) {
		return ""
	}
	return subject + copyJSON
}

// copyJSON ends the subject of a copy in JSON.
const copyJSON = ".json"

// isCopy reports whether the tokens after a bare subject are those of a copy in JSON: a
// tenant, a reviewer, who may have that name too, and json.
func isCopy(tokens string) bool {
	return strings.Count(tokens, ".") == 2 && strings.HasSuffix(tokens, copyJSON)
}

// token writes a name as one token of a subject. The empty name is %, which no
// other name gives.
func token(name string) string {
	if name == "" {
		return "%"
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; ValidPrincipal(string(rune(c))) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// SplitSubject splits a subject into the bare subject, one of the constants of
// this package, and the principal, empty if there is none. The error is
// ErrSubject and says what is wrong with the tokens.
func SplitSubject(subject string) (bare, principal string, err error) {
	if _, ok := kinds[subject]; ok {
		return subject, "", nil
	}
	// Only the two prefixes of a subject that ends in a principal can match, so
	// the longest known prefix tells "too many tokens" from "unknown".
	for rest := subject; ; {
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return "", "", fmt.Errorf("%w: %q is not a subject of Winnow; see the constants of pkg/event", ErrSubject, subject)
		}
		rest = rest[:dot]
		k, ok := kinds[rest]
		if !ok {
			continue
		}
		extra := subject[dot+1:]
		switch {
		case k.toReviewer && (strings.Count(extra, ".") == 1 || isCopy(extra)):
			return rest, "", nil
		case !k.fromPrincipal:
			return "", "", fmt.Errorf("%w: %s carries no principal, but %q follows it; publish on %s", ErrSubject, rest, extra, rest)
		case strings.ContainsRune(extra, '.'):
			return "", "", fmt.Errorf("%w: too many tokens after %s: %q; publish on %s.<principal>", ErrSubject, rest, extra, rest)
		case !ValidPrincipal(extra):
			return "", "", invalidPrincipal(extra)
		}
		return rest, extra, nil
	}
}

func invalidPrincipal(s string) error {
	return fmt.Errorf("%w: %q is not a principal; use 1 to %d of A-Z a-z 0-9 - _", ErrSubject, s, MaxPrincipal)
}
