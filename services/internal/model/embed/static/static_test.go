package static_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, static.New())
}

// The id stands for these bytes. Another table needs another revision, or
// vectors of two tables meet in one index.
func TestIDNamesTheTable(t *testing.T) {
	t.Parallel()
	const want = "20f37295d4dc1f1a"
	sum := sha256.New()
	for _, name := range []string{"table.bin", "../../../language/vocab.txt"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(raw)
	}
	if got := hex.EncodeToString(sum.Sum(nil))[:16]; got != want {
		t.Errorf("the table is %s, the id %s was given for %s", got, static.ID, want)
	}
}

// A text is nearer to its paraphrase than to an unrelated text. A text with one word
// changed is nearer than either; because no similarity separates an edit from a
// paraphrase, triage compares specifics.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, near, far string }{
		{"Delete every empty directory below the current one.", "Remove all empty folders in the current path.", "Print every line of a file."},
		{"The database connection pool holds 8 connections.", "At most eight connections are kept open to Postgres.", "The swimming lesson starts at 8."},
		{"She adopted a puppy last week.", "They got a new dog.", "He finished the report on time."},
		{"Tests fail because the port is in use.", "The test suite breaks when another process listens on the port.", "Dark mode is on by default."},
	} {
		v, err := static.New().Embed(t.Context(), []string{c.text, c.near, c.far})
		if err != nil {
			t.Fatal(err)
		}
		if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near <= far {
			t.Errorf("%q: %.3f to %q, %.3f to %q", c.text, near, c.near, far, c.far)
		}
	}
}

// A text without a known word has no vector, and costs its neighbours nothing.
func TestTextsWithoutWords(t *testing.T) {
	t.Parallel()
	texts := []string{"", " \n\t", "\x00\x01", "\xff\xfe", "🚀🚀", strings.Repeat("x", 200), "known"}
	v, err := static.New().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if (v[i] == nil) != (text != "known") {
			t.Errorf("%q has %d numbers", text, len(v[i]))
		}
	}
}

// Text beyond the cap is not read: a megabyte costs as much as its beginning and has
// its vector.
func TestLongTextCountsToTheCap(t *testing.T) {
	t.Parallel()
	head := strings.Repeat("word ", static.MaxTokens)
	v, err := static.New().Embed(t.Context(), []string{head, head + strings.Repeat("another thing entirely ", 40_000)})
	if err != nil {
		t.Fatal(err)
	}
	if embedtest.Distance(v[0], v[1]) != 0 {
		t.Error("text beyond the cap moved the vector")
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := static.New().Embed(ctx, []string{"a"}); err == nil {
		t.Error("a cancelled context went unnoticed")
	}
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
