// Package command is what all commands of winnow share: the streams and settings
// of one call, its session with an installation, arguments, and how results and
// progress are printed.
//
// It decides what counts as a mistake in the arguments, and that data goes to
// stdout and talk to stderr.
package command
