package git

import (
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/go-git/go-git/v5/plumbing"
)

// place is how far a file of the journal has come. It is read off the file and
// its temporary, which together tell what happened, in which order.
type place int

const (
	waiting   place = iota // the old file is there, ours is not yet
	refused                // a person changed the old file before ours came
	replaced               // ours is there
	edited                 // ours was there, and a person has changed it since
	displaced              // ours pushed aside an edit that was saved at that instant
)

func (s *session) placeOf(f pendingPath) (place, error) {
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
		return s.placeOfCreated(f, file, aside)
	case f.New.IsZero():
		return placeOfDeleted(f, file, temp), nil
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

// placeOfCreated is for a file that was not there: it comes as a second name of
// the temporary, which then goes.
func (s *session) placeOfCreated(f pendingPath, file plumbing.Hash, aside os.FileInfo) (place, error) {
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

// placeOfDeleted is for a file that goes: it is moved to the temporary's name.
func placeOfDeleted(f pendingPath, file, temp plumbing.Hash) place {
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

// replace takes a waiting file to replaced. Whatever stood there is in the
// temporary afterwards; a file that a person has made in the meantime stays.
func (s *session) replace(f pendingPath) error {
	switch {
	case f.Old.IsZero():
		if err := s.makeDir(path.Dir(f.Path)); err != nil {
			return err
		}
		if err := s.root.Link(f.Temp, f.Path); err != nil && !errors.Is(err, os.ErrExist) {
			return explain(s.dir, err)
		} else if err != nil {
			return nil // placeOf will say refused
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
		return nil // removed by a person just now: refused
	}
	return err
}

// takeBack makes a file what it was before the write began, unless a person has
// changed it: theirs stays, and what of theirs was pushed aside comes back.
func (s *session) takeBack(f pendingPath) error {
	at, err := s.placeOf(f)
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
		return err // displaced, and saved again since: the newer one stays
	}
	if err := s.restoreTemp(f); err != nil {
		return err
	}
	if err := s.exchange(f.Temp, f.Path); err != nil {
		return err
	}
	// A save between the look and the exchange is in the temporary now.
	if aside, err := s.hashOf(f.Temp); err != nil || aside == f.New || aside.IsZero() {
		return err
	}
	return s.exchange(f.Temp, f.Path)
}

// restoreTemp writes the old bytes for a file whose file system cannot exchange.
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

// uncreate takes a file away that was not there before, and puts it back when it
// turns out to be another than ours.
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
