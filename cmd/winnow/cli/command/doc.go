// Package command contains what all commands of winnow share: the streams and
// settings of one call, its session with an installation, arguments, and the
// output of results and progress.
//
// The package decides which errors are usage errors. Data goes to stdout,
// messages to people go to stderr.
package command
