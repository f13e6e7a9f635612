// Package triage is the worker that judges proposals. It validates and redacts each
// event, brings the lanes of the scopes up to date, lets package judge decide, and
// returns the verdicts as a change.Set.
//
// Preparation (intake.go, served.go, session_trust.go, load.go) is most of the work
// and holds no lock. Under the locks of its scopes a batch only applies the changes
// since then to its lanes (pinned.go) and judges (handler.go). effects.go turns
// verdicts into rows, events and audit entries.
//
// Lanes are cached between batches, within the bounds of the settings (cache.go). A
// scope that is too large for a lane, or whose lane is still loading, is judged in a
// narrow lane: the proposal is compared with what the index names (neighbours.go) and
// with texts of the same hash.
package triage
