// Package use holds the commands that the help lists under Use: run Winnow on this
// machine, publish and propose, search, import and export, adopt a person's
// history, and the hooks that coding agents call.
//
// It decides what is asked of the person and how results look; what is read and
// published is decided in packages local and ops.
package use
