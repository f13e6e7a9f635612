// Package telemetry decides how a process of Winnow speaks about itself: the
// form of its log lines, the names of their fields, its metrics registry and
// what it says it is.
//
// Text of proposals, memories and traces never goes into a log line or a label:
// ids, sizes, counts and hashes do. Labels come from closed sets.
package telemetry
