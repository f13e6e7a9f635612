package vault

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Vault is a tenant's repository. Its methods read what is committed, take no
// lock, and may be called from several goroutines and beside a writer of this
// or another process.
type Vault interface {
	// Dir is the repository's folder.
	Dir() string
	// Path is a scope's folder on disk, whether it is there or not.
	Path(scope memory.Scope) string
	// Changed names, sorted, the files of a scope that are on disk not as they
	// are committed. It writes nothing; a write that is under way shows, too.
	Changed(scope memory.Scope) (names []string, err error)
	// Read returns the vault's files of a scope as they are committed, by name.
	Read(scope memory.Scope) (map[string][]byte, error)
	// Scopes lists, sorted, the scopes that have a folder, committed or on disk.
	Scopes() ([]memory.Scope, error)
	// Last is the newest rendering of a scope; ok is false while there is none.
	Last(scope memory.Scope) (t Trailer, at time.Time, ok bool, err error)
	// Log lists a scope's commits, newest first; all commits when the scope is
	// empty, and at most limit when that is above 0.
	Log(scope memory.Scope, limit int) ([]Entry, error)
	// Unread returns the hand edits of a scope that are committed since its
	// last rendering, oldest first.
	Unread(scope memory.Scope) ([]HandEdit, error)
	// Lock waits until no other writer has the vault, on this machine, or ctx
	// ends (ErrLocked); between machines the caller's lease decides. It puts
	// right what a killed writer left, and returns a *Problem when the
	// repository cannot take commits as it stands.
	Lock(ctx context.Context) (Writer, error)
}

// Writer is a vault that this process alone may write, until Unlock. One
// goroutine uses it at a time; the vault's reading methods stay free.
type Writer interface {
	// HandEdits commits what people have changed on disk, one commit for each
	// scope, and returns every edit of theirs since the scope's last rendering,
	// oldest first. An edit is returned again until a Commit for its scope has
	// come after it. No scopes are all scopes. A scope that cannot be read is an
	// error, and does not keep the others from being returned.
	HandEdits(at time.Time, scopes ...memory.Scope) ([]HandEdit, error)
	// Commit writes a scope's files and commits them as one, and returns the
	// commit's hash. Where the files already are as the change has them, nothing
	// is written and committed is false, unless hand edits have to be marked as
	// read: a commit without files does that. It returns a *DirtyError (ErrDirty), and
	// changes nothing, when there are hand edits in the scope that HandEdits of
	// this writer has not returned.
	Commit(c Change) (hash string, committed bool, err error)
	// Unlock gives the vault back. A second call does nothing.
	Unlock() error
}

// HandEdit is one file as a person's commit changed it.
type HandEdit struct {
	Scope memory.Scope
	File  string // name in the scope, for example MEMORY.md
	// Before and After are the whole file; nil where there was none or is none.
	Before, After []byte
	// Commit and File together name the edit for good.
	Commit string
	At     time.Time
	// Author is the committer's name: who made the file what it became. It is
	// "hand" where the vault found the edit on disk.
	Author string
	// Err says why After cannot be had (ErrTooLarge); it is nil then. A Before that
	// is too large is nil as well: the edit that made it so comes first.
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
