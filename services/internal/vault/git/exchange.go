package git

import (
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/go-git/go-git/v5/plumbing"
)

// progress is the progress of one file of the journal. The file and its
// temporary together determine the progress.
type progress int

const (
	waiting   progress = iota // the old file is in place
	refused                   // a person changed the old file before the exchange
	replaced                  // the new file is in place
	edited                    // a person changed the new file after the exchange
	displaced                 // the exchange replaced an edit that was saved at the same instant
)

func (s *session) progressOf(f pendingPath) (progress, error) {
	file, err := s.hashOf(f.Path)
	if err != nil {
		return 0, err
	}
	temp, err := s.hashOf(f.Temp)
	if err != nil {
		return 0, err
	}
	aside, err := s.root.Lstat(f.Temp)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("look at %s: %w", f.Temp, err)
	}
	switch {
	case f.Old.IsZero():
		return s.progressOfCreated(f, file, aside)
	case f.New.IsZero():
		return progressOfDeleted(f, file, temp), nil
	}
	switch {
	case aside != nil && temp == f.New && file == f.Old:
		return waiting, nil
	case aside != nil && temp == f.New:
		return refused, nil
	case aside != nil && temp != f.Old:
		return displaced, nil
	case file == f.New:
		return replaced, nil
	}
	return edited, nil
}

// progressOfCreated returns the progress of a file that did not exist before.
// The new file is created as a second link of the temporary, which is then
// removed.
func (s *session) progressOfCreated(f pendingPath, file plumbing.Hash, aside os.FileInfo) (progress, error) {
	if aside != nil {
		there, err := s.stat(f.Path)
		if err != nil {
			return 0, err
		}
		if there == nil {
			return waiting, nil
		}
		if !os.SameFile(there, aside) {
			return refused, nil
		}
	}
	if file == f.New {
		return replaced, nil
	}
	return edited, nil
}

// progressOfDeleted returns the progress of a removed file. The old file is
// renamed to the temporary's name.
func progressOfDeleted(f pendingPath, file, temp plumbing.Hash) progress {
	switch {
	case temp.IsZero() && file == f.Old:
		return waiting
	case temp.IsZero():
		return refused // changed, or removed by a person as well
	case temp != f.Old:
		return displaced
	case file.IsZero():
		return replaced
	}
	return edited
}

// replace exchanges a waiting file. The previous file is then the temporary; a
// file that a person has created meanwhile stays.
func (s *session) replace(f pendingPath) error {
	switch {
	case f.Old.IsZero():
		if err := s.makeDir(path.Dir(f.Path)); err != nil {
			return err
		}
		if err := s.root.Link(f.Temp, f.Path); err != nil && !errors.Is(err, os.ErrExist) {
			return explain(s.dir, err)
		} else if err != nil {
			return nil //nolint:nilerr // the file exists: progressOf reports refused
		}
		return s.remove(f.Temp)
	case f.New.IsZero():
		if err := s.root.Rename(f.Path, f.Temp); err != nil && !errors.Is(err, os.ErrNotExist) {
			return explain(s.dir, err)
		}
		return nil
	}
	err := s.exchange(f.Temp, f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // a person has just removed the file: refused
	}
	return err
}

// revert restores a file to its state before the write, unless a person has
// changed the file. The person's file stays, and an edit that the exchange
// replaced is restored.
func (s *session) revert(f pendingPath) error {
	at, err := s.progressOf(f)
	if err != nil {
		return err
	}
	if at != replaced && at != displaced {
		return nil
	}
	switch {
	case f.Old.IsZero():
		return s.uncreate(f)
	case f.New.IsZero():
		if err := s.root.Link(f.Temp, f.Path); err != nil && !errors.Is(err, os.ErrExist) {
			return explain(s.dir, err)
		}
		return nil
	}
	file, err := s.hashOf(f.Path)
	if err != nil || file != f.New {
		return err // displaced, and saved again since: the newer edit stays
	}
	if err := s.restoreTemp(f); err != nil {
		return err
	}
	if err := s.exchange(f.Temp, f.Path); err != nil {
		return err
	}
	// A save between the check and the exchange is in the temporary now.
	if aside, err := s.hashOf(f.Temp); err != nil || aside == f.New || aside.IsZero() {
		return err
	}
	return s.exchange(f.Temp, f.Path)
}

// restoreTemp writes the old bytes, for a file system without exchange.
func (s *session) restoreTemp(f pendingPath) error {
	if _, err := s.root.Lstat(f.Temp); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	data, err := s.blob(f.Old)
	if err != nil {
		return err
	}
	return s.write(f.Temp, data, 0o644)
}

// uncreate removes a file that did not exist before the write. A file that a
// person has changed is restored.
func (s *session) uncreate(f pendingPath) error {
	if err := s.remove(f.Temp); err != nil {
		return err
	}
	if err := s.root.Rename(f.Path, f.Temp); err != nil {
		return explain(s.dir, err)
	}
	aside, err := s.hashOf(f.Temp)
	if err != nil || aside == f.New {
		return err
	}
	if err := s.root.Link(f.Temp, f.Path); err != nil && !errors.Is(err, os.ErrExist) {
		return explain(s.dir, err)
	}
	return nil
}
