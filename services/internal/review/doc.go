// Package review decides what a person's action changes: an answer to a proposal, the
// undo of a decision, several of them at once, all or none, or the retraction of all
// texts of a source.
//
// It reads through the store's port and returns a [change.Set]. Committing it, under an
// authenticated name, is the caller's part: a command, a digest's reply, the API.
package review
