// Package vault keeps the rendered memory of a tenant as files in a git
// repository, so that people read it, change it and see its history with the
// tools that they have.
//
// It decides how bytes get into that repository and how they get out again,
// and knows nothing of what they say: who renders them, when, and what a hand
// edit means is the business of others. It needs no git on the machine.
//
// # Layout
//
// One repository for a tenant, one folder for a scope:
//
//	<root>/<tenant>/<kind>/<id>/MEMORY.md
//	<root>/<tenant>/<kind>/<id>/topics/*.md
//
// Ids are written so that no file system confuses two of them (EncodeID).
// MEMORY.md and topics/*.md are the vault's files; whatever else people put
// beside them is theirs: never read, committed, changed or removed.
//
// # Whose commit it is
//
// A rendering is a commit by Winnow, whose trailers tell the scope, its version
// and the decisions that it shows; it stays one when people rebase it. Every other commit that touches the vault's
// files is a hand edit: those that people make with git, and those that this
// package makes of what it finds changed on disk. Commit refuses to write over
// a hand edit that its caller has not read, so none is lost silently.
//
// Commits go to the branch that HEAD names, whichever that is, and history is
// followed along first parents.
//
// # Crashes
//
// A process may be killed at any instant. What is about to happen is first
// written to a journal (.git/winnow/pending); files are then exchanged whole,
// the branch moves, the index follows. Whoever takes the lock next finishes
// what the journal says, or takes it back where a person has changed a file in
// between. Exchanging, rather than renaming over, is what shows an edit that
// was saved at the very same instant: it is found in the file that was swapped
// out, and put back. A program that keeps the file open meanwhile and writes to
// it only after the branch has moved writes to the file that was swapped out;
// editors do not, they open it to save. Where the file system cannot exchange, a save within the
// microseconds between the last look and the rename is lost.
//
// After a power cut the same holds on file systems that keep the order of changes
// (ext4, XFS, APFS). Elsewhere the vault may have to be rendered anew, into an
// empty folder: it is a copy.
//
// While it works it holds git's own locks (index.lock and that of the branch),
// so a person's git command waits or complains, and never mixes with ours.
//
// Hand edits are committed as they are found, secrets included: whoever types a
// password into MEMORY.md has it in the history of their own repository.
package git
