// Package operate carries out what is asked about workflows: it reads the rows, lets
// package workflow decide, and commits. The MCP tools, the HTTP API and the command
// line call it alike, so that one rule holds for all of them.
//
// An operation that loses against a concurrent one is decided again from the rows as
// they are then.
package operate
