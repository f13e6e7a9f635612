package vault

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

var (
	// ErrNotRepository says that the folder holds files but no repository.
	ErrNotRepository = errors.New("folder is not a git repository")
	// ErrUnsupported says that this package cannot write the repository's
	// format.
	ErrUnsupported = errors.New("kind of git repository is not supported")
	// ErrReadOnly says that the vault cannot be written.
	ErrReadOnly = errors.New("vault cannot be written")
	// ErrBare says that the repository has no work tree.
	ErrBare = errors.New("repository is bare")
	// ErrDetached says that HEAD names no branch.
	ErrDetached = errors.New("HEAD is detached")
	// ErrUnfinished says that a merge, rebase or similar operation is in
	// progress.
	ErrUnfinished = errors.New("unfinished git operation")
	// ErrBusy says that a git command locks the repository, or has just changed
	// it.
	ErrBusy = errors.New("git is at work in the vault")
	// ErrLocked says that another writer has the vault.
	ErrLocked = errors.New("vault has another writer")
	// ErrDirty says that hand edits must be read first (Writer.HandEdits).
	ErrDirty = errors.New("unread hand edits")
	// ErrSymlink says that a path is or passes through a symbolic link.
	ErrSymlink = errors.New("symbolic links are not followed")
	// ErrNotFile says that a path exists but is not a regular file.
	ErrNotFile = errors.New("not a regular file")
	// ErrTooLarge says that a file is larger than MaxFile.
	ErrTooLarge = fmt.Errorf("larger than %d bytes", MaxFile)
	// ErrPath says that a name is not one of the vault's files.
	ErrPath = errors.New("not a file of the vault")
	// ErrTrailer says that a trailer is invalid or a change is incomplete.
	ErrTrailer = errors.New("invalid trailer")
)

// Unwritable reports whether an error is of the folder and not of one file: nothing of the
// vault can be written until somebody makes room or gives access.
func Unwritable(err error) bool { return Full(err) || errors.Is(err, ErrReadOnly) }

// Full reports whether an error comes from a disk without room.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Problem is a condition that a person can repair, with the remedy.
type Problem struct {
	Path   string // the folder or file concerned
	Err    error  // one of the sentinels, or an error of the system
	Remedy string
}

func (p *Problem) Error() string {
	if p.Remedy == "" {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return fmt.Sprintf("%s: %v: %s", p.Path, p.Err, p.Remedy)
}

// Unwrap returns the sentinel.
func (p *Problem) Unwrap() error { return p.Err }

// DirtyError is ErrDirty with the names of the files, relative to the vault's
// folder.
type DirtyError struct{ Paths []string }

func (e *DirtyError) Error() string {
	return fmt.Sprintf("%v: %s", ErrDirty, strings.Join(e.Paths, ", "))
}

// Is makes errors.Is(err, ErrDirty) true.
func (e *DirtyError) Is(target error) bool { return target == ErrDirty }
