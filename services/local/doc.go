// Package local reads and writes a person's machine: the transcripts and memory
// files of coding agents, the project that a folder belongs to, the hooks in an
// agent's settings, and the spool of sessions that wait to be published.
//
// It decides which files count, which session a file is a part of, what of a
// file is published, and what may be written beside it. It has no access to a
// store: commands that change one are in package ops.
package local
