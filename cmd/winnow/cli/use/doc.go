// Package use contains the commands of the help's group Use: run Winnow on this
// machine, publish and propose, search, import and export, adopt a person's
// history, and the hooks that coding agents call.
//
// The package decides the questions to the person and the form of results.
// Packages local and ops decide what is read and published.
package use
