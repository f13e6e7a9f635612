// Package archtest tests the structure of the code.
//
// The table of docs/architecture.md is in table_test.go, row by row with its reason:
// it says which package may import which. A test over `go list` prints every
// forbidden edge. Other tests read the files: what a pure file may use, how long a
// file may be, which names and words are not used, and whether the modules are
// complete when built from outside.
//
// The compiler enforces what it can (internal folders, modules). These tests enforce
// the rest, so that a broken rule is a failing test and not left to a reviewer.
package archtest
