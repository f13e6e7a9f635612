package change

import "cmp"

// Append adds the rows, events and audit entries of other after those of s, kind
// by kind. The slot of other is taken where s has none. Two updates of one row
// stay two: [Set.Coalesced] decides which of them wins. It is the one function
// that joins two sets, because a kind of row left out of it is lost at the commit
// without an error.
func (s *Set) Append(other Set) {
	s.Proposals = append(s.Proposals, other.Proposals...)
	s.Memories = append(s.Memories, other.Memories...)
	s.Decisions = append(s.Decisions, other.Decisions...)
	s.Evidence = append(s.Evidence, other.Evidence...)
	s.Links = append(s.Links, other.Links...)
	s.ProposalUpdates = append(s.ProposalUpdates, other.ProposalUpdates...)
	s.MemoryUpdates = append(s.MemoryUpdates, other.MemoryUpdates...)
	s.DroppedLinks = append(s.DroppedLinks, other.DroppedLinks...)
	s.DroppedEvidence = append(s.DroppedEvidence, other.DroppedEvidence...)
	s.Sessions = append(s.Sessions, other.Sessions...)
	s.Traces = append(s.Traces, other.Traces...)
	s.SessionUpdates = append(s.SessionUpdates, other.SessionUpdates...)
	s.Judged = append(s.Judged, other.Judged...)
	s.Retired = append(s.Retired, other.Retired...)
	s.RetiredRemoved = append(s.RetiredRemoved, other.RetiredRemoved...)
	s.BootFiles = append(s.BootFiles, other.BootFiles...)
	s.BootRemoved = append(s.BootRemoved, other.BootRemoved...)
	s.Principals = append(s.Principals, other.Principals...)
	s.Keys = append(s.Keys, other.Keys...)
	s.KeysRevoked = append(s.KeysRevoked, other.KeysRevoked...)
	s.Policies = append(s.Policies, other.Policies...)
	s.Reviews = append(s.Reviews, other.Reviews...)
	s.Reviewers = append(s.Reviewers, other.Reviewers...)
	s.ReviewersGone = append(s.ReviewersGone, other.ReviewersGone...)
	s.ScopeLinks = append(s.ScopeLinks, other.ScopeLinks...)
	s.ScopesKnown = append(s.ScopesKnown, other.ScopesKnown...)
	s.ScopesUnlinked = append(s.ScopesUnlinked, other.ScopesUnlinked...)
	s.Digests = append(s.Digests, other.Digests...)
	s.DigestReplies = append(s.DigestReplies, other.DigestReplies...)
	s.Runs = append(s.Runs, other.Runs...)
	s.RunUpdates = append(s.RunUpdates, other.RunUpdates...)
	s.RunItems = append(s.RunItems, other.RunItems...)
	s.Workflows = append(s.Workflows, other.Workflows...)
	s.WorkflowUpdates = append(s.WorkflowUpdates, other.WorkflowUpdates...)
	s.Signals = append(s.Signals, other.Signals...)
	s.DroppedSignals = append(s.DroppedSignals, other.DroppedSignals...)
	s.Aggregates = append(s.Aggregates, other.Aggregates...)
	s.Learned = append(s.Learned, other.Learned...)
	s.WeightGains = append(s.WeightGains, other.WeightGains...)
	s.CountedServed = append(s.CountedServed, other.CountedServed...)
	s.Slot = cmp.Or(s.Slot, other.Slot)
	s.Events = append(s.Events, other.Events...)
	s.Audit = append(s.Audit, other.Audit...)
}
