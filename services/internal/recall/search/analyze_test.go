package search_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/recall/search"
)

func TestWords(t *testing.T) {
	t.Parallel()
	a := search.NewAnalyzer()
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"prose is stemmed, stop words go":  {"The connections were running in the pools", "connect run pool"},
		"possessives":                      {"What is Caroline's favourite painting?", "carolin favourit paint"},
		"numerals are numbers":             {"Die Datenbank hält zwanzig Verbindungen", "datenbank halt 20 verbind"},
		"German folds":                     {"Das ist der größte Schlüssel", "grosst schlussel"},
		"accents fold":                     {"the café is in Zürich", "cafe zurich"},
		"full width":                       {"the ｐｏｓｔｇｒｅｓ port", "postgr port"},
		"camel case whole and split":       {"call getHTTPResponse in the client", "call gethttpresponse get http respons client"},
		"snake case":                       {"set max_open_conns in the config", "set max_open_conns max open conn config"},
		"paths":                            {"see the file services/triage/judge.go", "see file services/triage/judge.go servic triag judg go"},
		"versions also by major and minor": {"we use Go 1.26.8 here", "use go 1.26.8 1.26"},
		"dates by day, month and year":     {"on 8 May 2023 it broke", "2023-05-08 2023-05 2023 broke"},
		"units":                            {"it takes 45 minutes", "take 45 minut"},
		"hyphens":                          {"the follow-up is a no-op", "follow-up follow no-op op"},
		"nothing":                          {"", ""},
		"other scripts and emoji":          {"the 数据库 is 🚀", "数据库 🚀"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(a.Words(c.text), " "); got != c.want {
				t.Errorf("Words(%q)\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

// A question without a stop word has no recognisable language; it must match documents
// of both.
func TestUndecidedMeetsBoth(t *testing.T) {
	t.Parallel()
	a := search.NewAnalyzer()
	query := a.Words("Verbindungen connections")
	for _, document := range []string{"Der Dienst hält die Verbindungen", "The service keeps its connections"} {
		words := a.Words(document)
		if !slices.ContainsFunc(query, func(w string) bool { return slices.Contains(words, w) }) {
			t.Errorf("%q shares no word with %v: %v", document, query, words)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"getHTTPResponse": "get http response", "snake_case_name": "snake case name", "sha256sum": "sha256sum",
		"--dry-run": "dry run", "a/b/config.yaml": "config yaml", "x": "x", "HTTPServer2": "http server2", "---": "---",
	} {
		if got := strings.Join(search.Split(name), " "); got != want {
			t.Errorf("Split(%q) = %q, want %q", name, got, want)
		}
	}
}

// Long texts are cut, not refused: a megabyte must not hold up the texts behind it.
func TestWordsAreBounded(t *testing.T) {
	t.Parallel()
	a := search.NewAnalyzer()
	if n := len(a.Words(strings.Repeat("ab cd ", 200_000))); n > search.MaxWords || n < 1000 {
		t.Errorf("%d words, want at most %d and not few", n, search.MaxWords)
	}
	a.Words(strings.Repeat("ä", 1<<20)) // cut inside no rune
}

// Hostile text must never break an index: words are valid, not blank, bounded and the
// same every time.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "The pool holds 20.", "größe ﬁle ｆｕｌｌ", "a\x00b\xff\xfe", "v1.2.3 2023-05-08", "x_y.Z/::-", strings.Repeat("'", 40)} {
		f.Add(s)
	}
	a := search.NewAnalyzer()
	f.Fuzz(func(t *testing.T, text string) {
		words := a.Words(text)
		if len(words) > search.MaxWords {
			t.Fatalf("%d words", len(words))
		}
		for _, w := range words {
			if w == "" || utf8.ValidString(text) && !utf8.ValidString(w) {
				t.Fatalf("word %q of %q", w, text)
			}
		}
		if again := search.NewAnalyzer().Words(text); !slices.Equal(words, again) {
			t.Fatalf("%q once %q, then %q", text, words, again)
		}
		terms := a.Terms(text)
		if !slices.IsSorted(terms.Tokens) || len(terms.Tokens) > 0 && len(a.Query(text)) != len(terms.Tokens) {
			t.Fatalf("terms %v, query %v", terms.Tokens, a.Query(text))
		}
	})
}
