// Package worker runs the pipeline that every event passes: decode, prepare,
// decide, commit, settle.
//
// The package decides how often an event is attempted, when it becomes a dead
// letter, and that its effect happens once. A [Handler] decides what the effect is:
// it returns a change.Set and never writes, publishes, acknowledges or retries.
// Adding a worker means writing a [Definition] and adding one line to package fleet.
//
// A definition declares the worker's settings ([Settings]) and the ports that it
// uses in addition to those of every worker ([Needs]). Package run reads the
// settings, opens the ports, and passes both in [Deps].
package worker
