// Package cli is the winnow command: it reads arguments, asks packages run and
// ops, and prints.
//
// It decides how things look and nothing about what they mean. Data goes to
// stdout, talk to stderr, so that output can be piped; --json gives every
// result as data. Progress bars appear on a terminal only.
package cli
