// Package cli is the winnow command: it parses arguments, calls packages run,
// ops, local and eval, and prints their results.
//
// The package decides the form of the output and no meaning. Data goes to stdout
// and messages to stderr, so that output can be piped; --json prints every
// result as data. Progress bars appear on a terminal only.
//
// A command is in the package of its group in the help: use, review, operate or
// develop. Package command contains what they share.
package cli
