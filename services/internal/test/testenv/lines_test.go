package testenv_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// A line longer than a scanner's default is read like any other: a reader that stops there
// would let the rest of a set go untested.
func TestLinesReadsLongLinesAndTableNoComments(t *testing.T) {
	t.Parallel()
	long := string(slices.Repeat([]byte("a"), 100_000))
	path := filepath.Join(t.TempDir(), "set.jsonl")
	if err := os.WriteFile(path, []byte("# what it is\n\n\""+long+"\"\n\"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := testenv.Table(t, path); !slices.Equal(got, []string{`"` + long + `"`, `"b"`}) {
		t.Errorf("%d lines", len(got))
	}
	if err := os.WriteFile(path, []byte("\""+long+"\"\n\"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := testenv.Lines[string](t, path); !slices.Equal(got, []string{long, "b"}) {
		t.Errorf("%d lines", len(got))
	}
}
