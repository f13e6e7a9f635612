// Package archtest holds the tests about the shape of the code.
//
// They decide who may know whom: the table of docs/architecture.md stands in
// table_test.go, row by row with its reason, and a test over `go list` prints
// every edge that it forbids. Others look into the files: what a pure file may
// touch, how long a file may be, which names and words are not used, whether
// the modules are complete when one builds them from outside.
//
// The compiler enforces what it can (internal folders, modules). What is here is
// the rest, so that a rule is broken by a failing test and not by a reviewer's
// tired eye.
package archtest
