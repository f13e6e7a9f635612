package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stemByList is [Stem] in words: of the endings in this order the first goes that leaves
// three bytes, and then one of two equal letters.
func stemByList(w string) string {
	if len(w) < 5 {
		if len(w) == 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			return w[:3]
		}
		return w
	}
	for _, suffix := range []string{"ungen", "ing", "ied", "ies", "ed", "en", "es", "er", "em", "s", "e", "y", "n"} {
		rest, ok := strings.CutSuffix(w, suffix)
		if !ok || len(rest) < 3 {
			continue
		}
		doubled := len(rest) > 3 && rest[len(rest)-1] == rest[len(rest)-2]
		if doubled && suffix != "ies" && suffix != "ied" && suffix != "s" && suffix != "e" {
			return rest[:len(rest)-1]
		}
		return rest
	}
	return w
}

// D3: two forms of one word are one word, whichever way the endings are searched.
func TestStem(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"hardcoded", "hardcod"}, {"hardcodes", "hardcod"}, {"stopped", "stop"}, {"retries", "retr"}, {"retried", "retr"}, {"tied", "tied"},
		{"Leistungen", "Leist"}, {"king", "king"}, {"being", "being"}, {"pass", "pass"}, {"passes", "pas"}, {"jobs", "job"}, {"größe", "größ"},
	} {
		if got := Stem(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.StringMatching(`[a-nü]{0,6}(ungen|ing|[i]?ed|ies|en|es|er|em|ss|s|e|y|nn|n|m|d|g|r)?`).Draw(t, "word")
		if got, want := Stem(w), stemByList(w); got != want {
			t.Fatalf("%q: %q, want %q", w, got, want)
		}
	})
}
