package static

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/language"
)

// loaded returns the vocabulary of the binary.
func loaded(t testing.TB) *vocabulary {
	t.Helper()
	v, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The ids were written by the reference tokenizer (tools/distill/reference.py).
// A difference here means that words get the rows of other words.
func TestIDsOfTheReference(t *testing.T) {
	t.Parallel()
	v := loaded(t)
	file, err := os.ReadFile("testdata/reference_ids.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		var c struct {
			Text string  `json:"text"`
			IDs  []int32 `json:"ids"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if got := tokens(v, c.Text, nil); !slices.Equal(got, c.IDs) {
			at := 0
			for at < min(len(got), len(c.IDs)) && got[at] == c.IDs[at] {
				at++
			}
			t.Errorf("%q differs at token %d:\n got %v %q\nwant %v %q", c.Text, at,
				got[at:], named(got[at:]), c.IDs[at:], named(c.IDs[at:]))
		}
	}
}

// named returns the tokens of rows.
func named(rows []int32) []string {
	all := strings.Split(language.Vocabulary, "\n")
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = "[UNK]"
		if row != unknown {
			out[i] = all[row]
		}
	}
	return out
}

// A word that the vocabulary can spell is spelt in full.
func TestTokensSpellTheirWord(t *testing.T) {
	t.Parallel()
	v := loaded(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aeinrstxyz019äß.-_ EN日"))).Draw(t, "text")
		words(text, func(word []byte) bool {
			rows := v.spell(word, nil)
			if rows[0] == unknown {
				return true
			}
			spelt := strings.ReplaceAll(strings.Join(named(rows), ""), "##", "")
			if spelt != string(word) {
				t.Fatalf("%q is spelt %q", word, named(rows))
			}
			return true
		})
	})
}

// Case, the kind of blank and the composition of accents have no effect.
func TestTokensIgnoreForm(t *testing.T) {
	t.Parallel()
	v := loaded(t)
	for a, b := range map[string]string{
		"The Pool holds EIGHT":      "  the\tpool\u00a0holds\r\neight ",
		"größe über":                "gro\u00dfe u\u0308ber",
		"so\u00adft hy\u200bphen":   "soft hyphen",
		"caf\u00e9":                 "cafe",
		"bro\xffken \xc3(utf) \xf0": "broken (utf)",
	} {
		if x, y := tokens(v, a, nil), tokens(v, b, nil); !slices.Equal(x, y) {
			t.Errorf("%q is %q, %q is %q", a, named(x), b, named(y))
		}
	}
}

// Every rune decomposes as the normaliser of whole strings says.
func TestDecomposed(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if raw := string(r); utf8.ValidRune(r) {
			if got, want := string(decomposed(nil, r, raw)), norm.NFD.String(raw); got != want {
				t.Errorf("%U decomposes to %+q, want %+q", r, got, want)
			}
		}
	}
}

func FuzzTokens(f *testing.F) {
	v := loaded(f)
	for _, seed := range []string{
		"", "Größe 8 MB", "日本語 e\u0301 \u00ad\u200d", "\xff\xfe\xc3", "##ing [UNK]",
		strings.Repeat("a", 101), "👩‍👩‍👧‍👦", "한국어",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows := tokens(v, text, nil)
		for _, row := range rows {
			if row < unknown || int(row) >= v.size() {
				t.Fatalf("row %d of %d", row, v.size())
			}
		}
		if len(rows) > MaxTokens+longestWord {
			t.Fatalf("%d tokens", len(rows))
		}
		words(text, func(word []byte) bool {
			if len(word) == 0 || !utf8.Valid(word) {
				t.Fatalf("word %q", word)
			}
			return true
		})
		// A blank between two texts separates them.
		if twice := tokens(v, text+" "+text, nil); 2*len(rows) < MaxTokens && !slices.Equal(twice, slices.Concat(rows, rows)) {
			t.Fatalf("%q twice is %q, once %q", text, named(twice), named(rows))
		}
	})
}
