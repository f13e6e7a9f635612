package lexical

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func analyzed(a *Analyzer, text string) *Doc {
	text = memory.Clean(text)
	tokens := memory.Scan(text)
	return a.Analyze(tokens, memory.Stamps(text, tokens))
}

// S3.31: paraphrases score above duplicate, texts on other subjects below loose.
func TestSimilarity(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	cases := []struct {
		x, y     string
		min, max float64
	}{
		{"Always register the core component alongside the plugin component", "The core component must be registered together with the plugin component every time", PointDuplicate, 1},
		{"Nightly backups run at 02:00 and are kept for 30 days", "Backups are executed every night at 02:00 and retained for 30 days", PointDuplicate, 1},
		{"Die Konfiguration liegt in `app.yaml`", "Einstellungen liegen in app.yaml", PointDuplicate, 1},
		{"The cache is cold after a deploy", "Invoices are numbered per country", 0, PointLoose},
	}
	for _, c := range cases {
		x, y := analyzed(a, c.x), analyzed(a, c.y)
		got, back := Compare(x, y).Similarity, Compare(y, x).Similarity
		if got <= c.min && c.min > 0 || got > c.max {
			t.Errorf("%q and %q: %.3f, want %.2f–%.2f", c.x, c.y, got, c.min, c.max)
		}
		if got != back {
			t.Errorf("%q and %q: %.9f one way, %.9f the other", c.x, c.y, got, back)
		}
	}
	if d := analyzed(a, "the same text"); Compare(d, d).Similarity != 1 {
		t.Error("a text is not equal to itself")
	}
}

// An exchanged word is an edit, moved words are a paraphrase.
func TestSubstituted(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"Timestamps are stored in UTC", "Timestamps are stored in Berlin", true},
		{"Plugins are loaded lazily on first use", "Plugins are loaded eagerly on first use", true},
		{"The merge key lacked the country column, so rows appeared twice", "Rows appeared twice because the country column was missing from the merge key", false},
		{"Errors use core keys", "Errors use core keys and plugin keys", false},
	} {
		if got := Substituted(analyzed(a, c.x), analyzed(a, c.y)); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestIndexFindsTheNearest(t *testing.T) {
	t.Parallel()
	a, x := NewAnalyzer(), NewIndex()
	texts := []string{"the gateway listens on port 80", "invoices are numbered per country", "the gateway caches certificates", "backups run every night"}
	for _, s := range texts {
		x.Add(analyzed(a, s))
	}
	if got := x.Search(analyzed(a, "which port does the gateway use"), 2); len(got) == 0 || got[0] != 0 {
		t.Errorf("found %v, want 0 first", got)
	}
	x.Remove(0)
	for _, n := range x.Search(analyzed(a, "which port does the gateway use"), 4) {
		if n == 0 {
			t.Error("a removed text was found")
		}
	}
	if x.Len() != 3 {
		t.Errorf("%d texts, want 3", x.Len())
	}
}
