package git

import (
	"fmt"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BenchmarkCommit measures one durable rendering in a vault with many scopes;
// one of two files is replaced.
func BenchmarkCommit(b *testing.B) {
	for _, scopes := range testenv.Amounts(1, 1000) {
		b.Run(fmt.Sprintf("scopes=%d", scopes), func(b *testing.B) {
			_, w := filled(b, scopes)
			n := int64(1)
			for b.Loop() {
				n++
				commit(b, w, change("project:p0", n, map[string]string{"MEMORY.md": fmt.Sprintf("- rendered %d\n", n)}))
			}
		})
	}
}

// BenchmarkHandEdits searches every scope for edits and finds none.
func BenchmarkHandEdits(b *testing.B) {
	_, w := filled(b, testenv.Amount(1000, 50))
	for b.Loop() {
		if edits, err := w.HandEdits(monday); err != nil || len(edits) > 0 {
			b.Fatal(edits, err)
		}
	}
}

// BenchmarkLast measures the first read of a new process in a history of 1,000
// commits, with and without the history file.
func BenchmarkLast(b *testing.B) {
	v, w := filled(b, testenv.Amount(1000, 50))
	for name, known := range map[string]bool{"saved": true, "unsaved": false} {
		if err := v.with(func(s *session) error { return s.remove(historyFile) }); err != nil {
			b.Fatal(err)
		}
		if known {
			v.history.behind = historyLag
			if err := w.vault.saveHistory(); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				v.history = nil
				if _, _, ok, err := v.Last("project:p0"); err != nil || !ok {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// filled returns a vault with so many scopes, each rendered once.
func filled(b *testing.B, scopes int) (*Vault, *Writer) {
	b.Helper()
	v := openVault(b, b.TempDir())
	w := lock(b, v)
	for i := range scopes {
		scope := memory.Scope(fmt.Sprintf("project:p%d", i))
		commit(b, w, change(scope, 1, map[string]string{"MEMORY.md": fmt.Sprintf("- scope %d\n", i), "topics/notes.md": "- notes\n"}))
	}
	return v, w
}
