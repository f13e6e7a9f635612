package keywords_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"
)

func hits(m *keywords.Matcher, words []string, text string) map[string]int {
	got := map[string]int{}
	m.Each(text, func(w, start, end int) {
		if !strings.EqualFold(text[start:end], words[w]) {
			got["wrong span"]++
		}
		got[words[w]]++
	})
	return got
}

func TestFindsOverlappingWords(t *testing.T) {
	t.Parallel()
	words := []string{"he", "she", "his", "hers", "key", "api_key"}
	m := keywords.New(words)
	got := hits(m, words, "uSHErs API_KEY=x monkey ähm he")
	want := map[string]int{"she": 1, "he": 2, "hers": 1, "api_key": 1, "key": 2}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for w, n := range want {
		if got[w] != n {
			t.Errorf("%q: got %d hits, want %d", w, got[w], n)
		}
	}
}

func TestEqualAndEmptyWords(t *testing.T) {
	t.Parallel()
	m := keywords.New([]string{"", "a", "a"})
	n := 0
	m.Each("xax", func(int, int, int) { n++ })
	if n != 2 {
		t.Fatalf("got %d hits, want one for each equal word", n)
	}
}

func TestAny(t *testing.T) {
	t.Parallel()
	m := keywords.New([]string{"demo", "key", ""})
	for text, want := range map[string]bool{"": false, "ke": false, "a monKEY": true, "dem0": false, "demo": true} {
		if got := m.Any(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if keywords.New(nil).Any("x") {
		t.Error("no words, and one is found")
	}
}

// FuzzAgainstContains compares the automaton with the plain search it replaces.
func FuzzAgainstContains(f *testing.F) {
	f.Add("abcabd", "ab", "bca", "d")
	f.Add("aaaa", "a", "aa", "aaa")
	f.Fuzz(func(t *testing.T, text, a, b, c string) {
		text = strings.ToLower(text)
		words := []string{strings.ToLower(a), strings.ToLower(b), strings.ToLower(c)}
		found := make([]int, len(words))
		keywords.New(words).Each(text, func(w, start, end int) {
			if text[start:end] != words[w] {
				t.Fatalf("span %q reported for %q", text[start:end], words[w])
			}
			found[w]++
		})
		for i, w := range words {
			want := 0
			for at := 0; w != "" && at+len(w) <= len(text); at++ {
				if strings.HasPrefix(text[at:], w) {
					want++
				}
			}
			if found[i] != want {
				t.Fatalf("%q in %q: found %d, want %d", w, text, found[i], want)
			}
		}
	})
}
