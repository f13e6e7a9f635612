// Package worker is the way of an event through a worker: decode, prepare,
// decide, commit, settle.
//
// It decides how often an event is tried, when it is given up, and that its
// effect happens once. What the effect is, a [Handler] decides: it returns a
// change.Set and never writes, publishes, acknowledges or retries. Adding a
// worker means writing a [Definition] and adding one line to package fleet.
//
// A definition declares what the worker can be told ([Settings]) and which ports it
// uses beside those of every worker ([Needs]); package run reads the ones and opens
// the others, and hands both over in [Deps].
package worker
