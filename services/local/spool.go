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

// Spool stores which sessions ended while no Winnow ran: the paths of their
// traces, never their content. It is a folder with one small file per session,
// so that hooks which run at once need no lock.
type Spool struct{ dir string }

// SpooledSession is one session of a [Spool].
type SpooledSession struct {
	Transcript string    `json:"transcript"`
	SessionID  string    `json:"session_id,omitempty"`
	Dir        string    `json:"dir,omitempty"`
	At         time.Time `json:"at"`
	// Open: the session may go on. It is published when its transcript has rested.
	Open bool `json:"open,omitempty"`

	file string
}

// restsAfter is how long the transcript of an open session must not have changed before
// the session counts as ended. No agent's program is told when a window is closed.
const restsAfter = time.Hour

// Ready reports whether a session may be published: one that has ended, or whose
// transcript has not changed for an hour or is gone.
func (s SpooledSession) Ready(now time.Time) bool {
	if !s.Open {
		return true
	}
	info, err := os.Stat(s.Transcript)
	return err != nil || now.Sub(info.ModTime()) > restsAfter
}

// maxSpooled bounds the folder: on a machine where Winnow is never started it
// must not fill the disk.
const maxSpooled = 10_000

// ErrSpoolFull says that the spool has reached its bound.
var ErrSpoolFull = errors.New("too many sessions wait to be published; start one: winnow dev")

// OpenSpool returns the spool in a folder, which the first Put creates.
func OpenSpool(dir string) Spool { return Spool{dir: dir} }

// Put stores a session. The same transcript is stored once, with its latest
// description.
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
	// Atomically: another process may read the folder at any time.
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

// List returns the waiting sessions, the oldest first. Unreadable files are
// left out.
func (s Spool) List() ([]SpooledSession, error) {
	names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var list []SpooledSession
	for _, name := range names {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process was faster
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

// Done removes a session that List returned.
func (s Spool) Done(session SpooledSession) error {
	if err := os.Remove(session.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
