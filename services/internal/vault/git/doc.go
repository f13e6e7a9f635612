// Package git is the driver of package vault. It stores the rendered memory of a
// tenant as files in a git repository. People read the files, change them and
// see their history with their own tools.
//
// The package decides how files are written to the repository and read from it,
// and does not interpret their content. Other packages decide when to render and
// what a hand edit means. No git program is needed on the machine.
//
// # Layout
//
// One repository for a tenant, one folder for a scope:
//
//	<root>/<tenant>/<kind>/<id>/MEMORY.md
//	<root>/<tenant>/<kind>/<id>/topics/*.md
//
// Folder names encode ids so that no file system confuses two of them
// (EncodeID). MEMORY.md and topics/*.md are the vault's files. All other files
// belong to people and are never read, committed, changed or removed.
//
// # Renderings and hand edits
//
// A rendering is a commit by Winnow. Its trailers name the scope, its version
// and the decisions that it shows. The commit stays a rendering when people
// rebase it. Every other commit that touches the vault's files is a hand edit:
// commits that people make with git, and commits that this package makes of
// changed files on disk. Commit refuses to overwrite a hand edit that its caller
// has not read, so no edit is lost silently.
//
// Commits go to the branch that HEAD names. History follows first parents.
//
// # Crashes
//
// A process may be killed at any instant. A write first stores a journal
// (.git/winnow/pending), then exchanges whole files, moves the branch and
// updates the index. The next holder of the lock completes the journal's write,
// or reverts it where a person has changed a file meanwhile.
//
// Files are exchanged and not renamed over each other, so that an edit that was
// saved at the same instant is found in the file that was swapped out, and
// restored. A program that keeps the file open and writes to it after the branch
// has moved writes to the file that was swapped out. Editors do not do that:
// they open a file to save it. On a file system without exchange, a save within
// the microseconds between the last check and the rename is lost.
//
// After a power cut the same holds on file systems that preserve the order of
// changes (ext4, XFS, APFS). On other file systems the vault may have to be
// rendered again into an empty folder: the vault is a copy.
//
// During a write the package holds git's own locks (index.lock and that of the
// branch). A person's git command then waits or fails, and never interleaves
// with the write.
//
// Hand edits are committed as they are found, secrets included: a password in
// MEMORY.md stays in the history of the person's own repository.
package git
