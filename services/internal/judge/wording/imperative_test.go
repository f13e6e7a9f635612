package wording

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SPEC §6, S3: the application part of a lesson says how to use it. Its orders make no
// convention of the lesson, on lines of their own and on one line, and what stands
// before it is judged as anything else.
func TestApplicationOfALesson(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, orders := range map[string]bool{
		"**Context**: `tar` ran out of space.\n\n**Lesson**: It unpacks to `/tmp` first.\n\n**Application**: Set `TMPDIR` before the call.": false,
		"Context: `tar` ran out of space. Lesson: It unpacks to `/tmp` first. Application: Set `TMPDIR` before the call.":                   false,
		"**Context**: `tar` ran out of space. **Lesson**: It unpacks to `/tmp` first. **Application**: Set `TMPDIR` before the call.":       false,
		"Context: the import hung; Lesson: `psql` waits for a password; Application: Pass `-w` to the call.":                                false,
		"Kontext: Der Import hing. Lehre: `psql` wartet auf ein Passwort. Anwendung: Setze `PGPASSFILE` vor dem Aufruf.":                    false,
		"Kontext: Der Import hing.\nErkenntnis: `psql` wartet auf ein Passwort.\nAnwendung: Setze `PGPASSFILE` vor dem Aufruf.":             false,
		// An order outside of that part stays one.
		"Context: `tar` ran out of space. Lesson: Set `TMPDIR` before the call. Application: It holds for `zip` too.": true,
		"Context: `tar` ran out of space. Application: Set `TMPDIR` before the call.":                                 true, // no lesson
		"Set `TMPDIR` first. The lesson: an application: it fills `/tmp`.":                                            true,
		"Lesson: `tar` unpacks to `/tmp` first. Set `TMPDIR` before the call, the application: any archive.":          true,
		// What the part demands without exception is a rule there too.
		"Context: the dump leaked. Lesson: `pg_dump` prints roles. Application: Never commit `dump.sql`.": true,
	} {
		f := Extract(a.Text(text), Given{Authority: memory.OriginAgent}, nil)
		if f.Orders() != orders {
			t.Errorf("%q: orders %v by %v %q, want %v", text, f.Orders(), f.Cues, f.Imperative, orders)
		}
	}
}
