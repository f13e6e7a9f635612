package vault

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Change is what a rendering makes of a scope's files.
type Change struct {
	Scope memory.Scope
	// Files by their name in the scope (see Owned); nil bytes remove one. Files
	// that are not named stay.
	Files   map[string][]byte
	Trailer Trailer
	// At is the commit's time, kept to the second.
	At time.Time
}

// Validate refuses what no vault takes: names that are not the vault's, files
// that are too large, a trailer that cannot be written.
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

// Trailer ties a commit to the decisions that it shows.
type Trailer struct {
	// Version of the scope that was rendered, 0 or more.
	Version int64
	// Decisions since the scope's commit before, from First to Last (ids). With
	// 0 decisions both may be empty.
	Decisions   int
	First, Last string
	// AuditHead is the audit chain's signed head, empty where there is none.
	AuditHead string
}

// Validate keeps text that would end a trailer early out of it.
func (t Trailer) Validate() error {
	if t.Version < 0 || t.Decisions < 0 || t.Decisions > 0 && (t.First == "" || t.Last == "") || (t.First == "") != (t.Last == "") {
		return fmt.Errorf("%w: version %d, %d decisions, %q..%q", ErrTrailer, t.Version, t.Decisions, t.First, t.Last)
	}
	for _, value := range []string{t.First, t.Last, t.AuditHead} {
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.Contains(value, "..") {
			return fmt.Errorf("%w: %q", ErrTrailer, value)
		}
	}
	return nil
}
