// Package schedule says when something is due. It asks no clock: the slot
// follows from a rule, a zone, when it last ran and what time it is. Whoever
// first writes a slot down runs it, so no replica has to lead (SPEC §4).
package schedule
