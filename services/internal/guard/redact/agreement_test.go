package redact

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/winnowhq/winnow/services/internal/guard/redact/material"
	"github.com/winnowhq/winnow/services/internal/test/testenv"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// The gates and windows are shortcuts. This test runs the library's own
// detector, unfiltered, beside ours over the tables and over the shared data
// where it lies beside the repository: whatever it finds must be gone.
func TestPrefilterKeepsTheLibrarysRecall(t *testing.T) {
	t.Parallel()
	unfiltered, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	unfiltered.IgnoreGitleaksAllow = true
	r, err := New(Config{Key: []byte("k")})
	if err != nil {
		t.Fatal(err)
	}
	texts := corpus(t)
	// Long texts take the windowed way; joining also gives every text strange
	// neighbours.
	filler := strings.Repeat("An ordinary sentence about nothing in particular, with key words. ", 40)
	for _, text := range texts {
		for _, variant := range []string{text, filler + "\n" + text + "\n" + filler} {
			out, _ := r.Text("acme", variant)
			for _, f := range unfiltered.DetectString(variant) {
				at := strings.Index(variant, f.Secret)
				if at >= 0 && (plausible.Identifier(variant, max(0, at-60), at, at+len(f.Secret)) || standIn(f.Secret) || strings.HasPrefix(f.RuleID, "generic") && material.IsPublic(variant, at)) {
					continue // survives by design
				}
				if strings.Contains(out, f.Secret) {
					t.Errorf("%s: library finds %q in %q, we do not", f.RuleID, f.Secret, text)
				}
			}
		}
	}
	t.Logf("%d texts compared, each alone and within 5 kB", len(texts))
}

// corpus is the tables and, when present, the texts of the shared data.
func corpus(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"secrets.tsv", "personal.tsv", "survive.txt"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Split(string(raw), "\n")...)
	}
	shared := testenv.SharedPath(t, "")
	for _, name := range []string{"security/secrets_gitleaks_cases.jsonl", "triage/triage_memories.jsonl", "consolidation/entries.jsonl"} {
		f, err := os.Open(filepath.Join(shared, name))
		if err != nil {
			t.Logf("shared test data absent: %s", name)
			continue
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 4<<20)
		for sc.Scan() {
			var line struct{ Text string }
			if err := json.Unmarshal(sc.Bytes(), &line); err == nil {
				out = append(out, line.Text)
			}
		}
		f.Close()
	}
	return out
}
