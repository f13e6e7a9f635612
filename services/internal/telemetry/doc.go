// Package telemetry decides the format of a process's log lines, the names of their fields,
// its metrics registry and its build information.
//
// Log lines and labels never contain the text of proposals, memories or traces, only ids,
// sizes, counts and hashes. Labels come from closed sets.
package telemetry
