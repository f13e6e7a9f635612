package git

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	pendingFile = ownDir + "/pending"
	pendingTemp = ownDir + "/pending.new"
	tempPrefix  = ownDir + "/temp-"
)

// pending is the journal's only entry: an unfinished commit. All its objects and
// temporary files are stored before the entry.
type pending struct {
	Branch string        `json:"branch"`
	Parent plumbing.Hash `json:"parent"`
	Commit plumbing.Hash `json:"commit"`
	Files  []pendingPath `json:"files"`
}

// pendingPath is one file of the entry, named relative to the vault's folder.
// The zero hash means no file.
type pendingPath struct {
	Path string        `json:"path"`
	Old  plumbing.Hash `json:"old"`
	New  plumbing.Hash `json:"new"`
	// Temp is the file to exchange with. Temp is empty for a hand edit, whose
	// new bytes are already on disk.
	Temp string `json:"temp,omitempty"`
}

// savePending writes the journal, and is the barrier for the objects and
// temporary files that the journal names.
func (s *session) savePending(p pending) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	file, err := s.root.OpenFile(pendingTemp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write journal: %w", explain(s.dir, err))
	}
	_, err = file.Write(data)
	if err := errors.Join(err, barrier(file), file.Close()); err != nil {
		return fmt.Errorf("write journal: %w", explain(s.dir, err))
	}
	if err := s.root.Rename(pendingTemp, pendingFile); err != nil {
		return fmt.Errorf("write journal: %w", explain(s.dir, err))
	}
	return nil
}

// loadPending reads the journal; ok is false without an entry.
func (s *session) loadPending() (p pending, ok bool, err error) {
	data, err := s.root.ReadFile(pendingFile)
	if errors.Is(err, os.ErrNotExist) {
		return pending{}, false, nil
	}
	if err != nil {
		return pending{}, false, fmt.Errorf("read journal: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return pending{}, false, s.problem(pendingFile, fmt.Errorf("read journal: %w", err), "remove it; what differs from the last commit then counts as a hand edit")
	}
	return p, true, nil
}

// sweep ends a write that is complete, reverted or never begun. The journal is
// removed first, because the temporary files have a meaning only together with
// it.
func (s *session) sweep() error {
	if err := s.release(); err != nil {
		return err
	}
	if err := s.remove(pendingFile); err != nil {
		return err
	}
	names, err := s.list(ownDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		full := ownDir + "/" + name
		if strings.HasPrefix(full, tempPrefix) || full == pendingTemp || full == objectTemp {
			if err := s.remove(full); err != nil {
				return err
			}
		}
	}
	return nil
}
