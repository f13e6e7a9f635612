// Package trigger decides when a scope is consolidated, and describes a run as it is
// requested.
//
// There are four triggers over one engine (D15): more memories than a threshold, an
// interval for every project, a weekly slot for every user, and a person. Each asks for
// a run in the same way: [Request] returns a change with the run's row and the event
// that starts it. So a run by hand and one by schedule take the same path (S4.79).
//
// Whether a run is needed is a pure function of times, counts and settings. [Asker]
// reads those and returns the change. The worker, the tools of agents and the command
// line commit it.
package trigger
