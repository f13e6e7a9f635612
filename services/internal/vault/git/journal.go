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

// pending is the journal's one entry: a commit on its way. All its objects are
// stored and all its temporary files written before it is.
type pending struct {
	Branch string        `json:"branch"`
	Parent plumbing.Hash `json:"parent"`
	Commit plumbing.Hash `json:"commit"`
	Files  []pendingPath `json:"files"`
}

// pendingPath is one file of it, named from the vault's folder. The zero hash
// means no file.
type pendingPath struct {
	Path string        `json:"path"`
	Old  plumbing.Hash `json:"old"`
	New  plumbing.Hash `json:"new"`
	// Temp is the file to exchange with; empty when the new bytes are on disk
	// already, which is what makes a hand edit.
	Temp string `json:"temp,omitempty"`
}

// savePending writes the journal. It is the barrier for the objects and the
// temporary files that it names.
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

// loadPending reads the journal; ok is false when nothing is on its way.
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

// sweep ends a write, whether done, taken back or never begun: the journal goes
// first, since the temporary files mean something only beside it.
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
