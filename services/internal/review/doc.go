// Package review decides what a person's word changes: an answer to a proposal,
// the undo of a decision, several of them at once, all or none, or the retraction
// of all that a source said.
//
// It reads through the store's port and returns a change; who commits it, and in
// whose name, is the caller's: a command, a digest's reply, the API.
package review
