package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Spool remembers sessions that ended while no Winnow ran: where their traces
// lie, never what they say. It is a folder with one small file a session, so
// that hooks which run at once need no lock.
type Spool struct{ dir string }

// SpooledSession is one of them.
type SpooledSession struct {
	Transcript string    `json:"transcript"`
	SessionID  string    `json:"session_id,omitempty"`
	Dir        string    `json:"dir,omitempty"`
	At         time.Time `json:"at"`

	file string
}

// maxSpooled bounds the folder: whoever never starts Winnow must not fill a disk.
const maxSpooled = 10_000

// ErrSpoolFull says that very many sessions wait.
var ErrSpoolFull = errors.New("too many sessions wait to be published; start one: winnow dev")

// OpenSpool is the spool in a folder, which is made when something is put there.
func OpenSpool(dir string) Spool { return Spool{dir: dir} }

// Put remembers a session. The same transcript is remembered once, with what was
// said of it last.
func (s Spool) Put(session SpooledSession) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	waiting, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if len(waiting) >= maxSpooled {
		return ErrSpoolFull
	}
	text, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	sum := sha256.Sum256([]byte(session.Transcript))
	name := filepath.Join(s.dir, hex.EncodeToString(sum[:16])+".json")
	// Whole or not at all: the next one to look may come at any time.
	f, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	defer os.Remove(f.Name()) // is gone already where all went well
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// List returns what waits, the oldest first. What cannot be read is left out.
func (s Spool) List() ([]SpooledSession, error) {
	names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var list []SpooledSession
	for _, name := range names {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody else was faster
		}
		if err != nil {
			return nil, fmt.Errorf("spool: %w", err)
		}
		one := SpooledSession{file: name}
		if json.Unmarshal(text, &one) == nil && one.Transcript != "" {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b SpooledSession) int { return a.At.Compare(b.At) })
	return list, nil
}

// Done forgets a session that List returned.
func (s Spool) Done(session SpooledSession) error {
	if err := os.Remove(session.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
