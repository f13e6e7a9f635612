package format_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every file of testdata is read as its golden file says. The format stands in
// the name and is recognised, not stated.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range samples(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := golden(t, read(t, string(raw), trace.Options{}))
			path := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("read as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func samples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.[jt]*")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata: %d files, %v", len(files), err)
	}
	return files
}

// golden writes a session with one turn and one problem a line.
func golden(t testing.TB, s trace.Session) []byte {
	t.Helper()
	turns := s.Turns
	s.Turns = nil
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		if err := enc.Encode(turn); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range s.Report.Problems {
		b.WriteString(p.Error() + "\n")
	}
	return b.Bytes()
}
