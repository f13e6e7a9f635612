package vault

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Change is the rendering of a scope's files.
type Change struct {
	Scope memory.Scope
	// Files by their name in the scope (see Owned); nil bytes remove a file.
	// Other files do not change.
	Files   map[string][]byte
	Trailer Trailer
	// At is the commit's time, stored to the second.
	At time.Time
}

// Validate returns an error for a change that no vault accepts: a name that is
// not owned, a file that is too large, or an invalid trailer.
func (c Change) Validate() error {
	if _, err := memory.ParseScope(string(c.Scope)); err != nil {
		return err
	}
	for name, data := range c.Files {
		if !Owned(name) {
			return fmt.Errorf("%w: %q", ErrPath, name)
		}
		if len(data) > MaxFile {
			return fmt.Errorf("%s: %w", name, ErrTooLarge)
		}
	}
	if c.At.Unix() <= 0 {
		return fmt.Errorf("%w: time %v", ErrTrailer, c.At)
	}
	return c.Trailer.Validate()
}

// Trailer links a commit to the decisions that it shows.
type Trailer struct {
	// Version of the scope that was rendered, 0 or more.
	Version int64
	// Decisions counts the decisions since the scope's previous commit; First
	// and Last are their ids. With 0 decisions both may be empty.
	Decisions   int
	First, Last string
	// AuditHead is the hash of the audit chain's last link; may be empty.
	AuditHead string
	// SignedHead is the newest signed head of the audit chain; may be empty.
	SignedHead string
}

// Validate rejects text that would end a trailer early.
func (t Trailer) Validate() error {
	if t.Version < 0 || t.Decisions < 0 || t.Decisions > 0 && (t.First == "" || t.Last == "") || (t.First == "") != (t.Last == "") {
		return fmt.Errorf("%w: version %d, %d decisions, %q..%q", ErrTrailer, t.Version, t.Decisions, t.First, t.Last)
	}
	for _, value := range []string{t.First, t.Last, t.AuditHead, t.SignedHead} {
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.Contains(value, "..") {
			return fmt.Errorf("%w: %q", ErrTrailer, value)
		}
	}
	return nil
}
