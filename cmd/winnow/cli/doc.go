// Package cli is the winnow command: it reads arguments, asks packages run, ops,
// local and eval, and prints.
//
// It decides how things look and nothing about what they mean. Data goes to
// stdout, talk to stderr, so that output can be piped; --json gives every
// result as data. Progress bars appear on a terminal only.
//
// A command stands in the package of the group that the help lists it under: use,
// review, operate or develop. What they share is in package command.
package cli
