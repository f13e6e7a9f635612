// Package triage is the worker that judges proposals: it validates and redacts
// what arrives, brings the lanes of the scopes up to date, lets package judge
// decide, and returns the verdicts as a change.Set.
//
// Preparing (intake.go, served.go, load.go) is most of the work and holds no lock.
// Under the locks of its scopes a batch only brings the news into its lanes
// (held.go) and judges (handler.go); effects.go turns verdicts into rows, events
// and audit entries. Lanes are remembered between batches, within the bounds of
// the settings (cache.go). A scope that is too large for that is judged in a narrow
// lane, with what the index names (neighbours.go).
package triage
