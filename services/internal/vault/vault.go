package vault

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Vault is a tenant's repository. Its methods read committed files and take no
// lock. They may be called from several goroutines and concurrently with a
// writer of any process.
type Vault interface {
	// Dir returns the repository's folder.
	Dir() string
	// Path returns a scope's folder on disk, which may not exist.
	Path(scope memory.Scope) string
	// Changed lists, sorted, the files of a scope that differ on disk from the
	// committed ones. Changed writes nothing; the list may contain files of a
	// write in progress.
	Changed(scope memory.Scope) (names []string, err error)
	// Read returns the committed files of a scope, by name.
	Read(scope memory.Scope) (map[string][]byte, error)
	// Scopes lists, sorted, the scopes with a folder, committed or on disk.
	Scopes() ([]memory.Scope, error)
	// Last returns the trailer and time of a scope's newest rendering; ok is
	// false without one.
	Last(scope memory.Scope) (t Trailer, at time.Time, ok bool, err error)
	// Log lists a scope's commits, newest first; all commits when the scope is
	// empty. A limit above 0 bounds the list.
	Log(scope memory.Scope, limit int) ([]Entry, error)
	// Unread returns the committed hand edits of a scope since its last
	// rendering, oldest first.
	Unread(scope memory.Scope) ([]HandEdit, error)
	// Lock waits until no other writer on this machine holds the vault, or ctx
	// ends (ErrLocked). Between machines the caller's lease excludes. Lock
	// completes or reverts the unfinished write of a killed writer, and returns
	// a *Problem when the repository cannot accept commits.
	Lock(ctx context.Context) (Writer, error)
}

// Writer has the exclusive right to write the vault, until Unlock. Only one
// goroutine at a time may use a Writer. The vault's reading methods stay
// available.
type Writer interface {
	// HandEdits commits the changed files on disk, one commit for each scope,
	// and returns every hand edit since the scope's last rendering, oldest
	// first. An edit is returned again until the next Commit of its scope.
	// Without scopes, HandEdits covers all scopes. An unreadable scope is an
	// error, and the edits of the other scopes are still returned.
	HandEdits(at time.Time, scopes ...memory.Scope) ([]HandEdit, error)
	// Commit writes and commits a scope's files together, and returns the
	// commit's hash. When the files already equal the change, nothing is written
	// and committed is false. An exception are unread hand edits, which a commit
	// without files then marks as read. Commit returns a *DirtyError (ErrDirty),
	// and changes nothing, for hand edits in the scope that HandEdits of this
	// writer has not returned.
	Commit(c Change) (hash string, committed bool, err error)
	// Restart replaces the history by one of the committed files as they are now, so that
	// earlier versions are gone from the repository. The error is ErrDirty for hand edits
	// that were not read.
	Restart() error
	// Unlock releases the vault. Further calls do nothing.
	Unlock() error
}

// HandEdit is the change of one file by a person's commit.
type HandEdit struct {
	Scope memory.Scope
	File  string // name in the scope, for example MEMORY.md
	// Before and After are the whole file; nil for a missing file.
	Before, After []byte
	// Commit and File together identify the edit permanently.
	Commit string
	At     time.Time
	// Author is the committer's name. The author is "hand" when the vault found
	// the edit on disk.
	Author string
	// Err is the reason for a missing After (ErrTooLarge). A Before that is too
	// large is nil as well; the edit that made the file too large comes first.
	Err error
}

// Entry is one commit of a scope.
type Entry struct {
	Hash    string
	At      time.Time
	Author  string
	Subject string
	// Hand is true for commits of people; Trailer is zero then.
	Hand    bool
	Trailer Trailer
}
