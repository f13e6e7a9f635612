// Package schedule computes when a job is due. It reads no clock: the slot follows from a
// rule, a zone, the last run and the current time, all passed by the caller. The first
// replica that stores a slot runs it, so no leader is needed (SPEC §4).
package schedule
