package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

func passages(texts ...string) []search.Passage {
	out := make([]search.Passage, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

func TestMatchByMeaningOfWords(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	got, err := m.Match(t.Context(), "Who adopted a puppy?", passages(
		"Last week Ann adopted a dog from the shelter.",
		"The release job runs the migrations.",
		"Ann adopted a puppy.",
	))
	if err != nil {
		t.Fatal(err)
	}
	if !(got[2].Match > got[0].Match && got[0].Match > got[1].Match) || got[2].Match < 0.999 {
		t.Errorf("got %+v; want the puppy, then the dog, then the job", got)
	}
}

// Without a table words of one stem answer each other.
func TestMatchWithoutVectors(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	got, err := m.Match(t.Context(), "connection pools", passages("The pool of connections is small.", "A pool.", "Nothing."))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Match != 1 || got[2].Match != 0 || !(got[1].Match > 0 && got[1].Match < 1) {
		t.Errorf("got %+v", got)
	}
}

// A word that a neighbour says counts less than one of the passage itself.
func TestMatchReadsNeighbours(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	texts := passages("Yes, in June.", "Yes, in June.", "Yes, in June.", "The marathon!")
	texts[1].Around = []search.Near{{Text: "Did you run the marathon?", Distance: 1}}
	texts[2].Around = []search.Near{{Text: "Did you run the marathon?", Distance: 2}, {Text: "marathon", Distance: 9}}
	got, err := m.Match(t.Context(), "marathon", texts)
	if err != nil {
		t.Fatal(err)
	}
	if !(got[3].Match > got[1].Match && got[1].Match > got[2].Match && got[2].Match > got[0].Match) || got[0].Match != 0 {
		t.Errorf("got %+v, want the closer the more", got)
	}
}

// The cache of texts is bounded, and replacing it changes no answer, also while other
// searches run.
func TestMatchRemembersWithinBounds(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	match := func() []search.Signs {
		got, err := m.Match(t.Context(), "Who adopted a puppy?", passages("Ann adopted a dog.", "A puppy was adopted.", "The job."))
		if err != nil {
			t.Error(err)
		}
		return got
	}
	want := match()
	var filling sync.WaitGroup
	for part := range 4 {
		filling.Go(func() {
			for text := range 40 {
				words := make([]string, 400)
				for i := range words {
					words[i] = fmt.Sprintf("w%dx%dx%d", part, text, i)
				}
				if _, err := m.Match(t.Context(), words[0], passages(strings.Join(words, " "))); err != nil {
					t.Error(err)
				}
				if got := match(); !slices.Equal(got, want) {
					t.Errorf("after %d texts %v, before %v", text, got, want)
				}
			}
		})
	}
	filling.Wait()
	if n := m.Words(); n == 0 || n > 45_000 {
		t.Errorf("%d of 64,000 words are remembered", n)
	}
}

// The order inside the pool follows more than the words: what is about nothing else
// stands before what mentions it, a statement before a question, and a question for a
// time or a number is answered by one.
func TestRelevanceOfSigns(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for query, texts := range map[string][2]string{
		"which port does staging use": {
			"Staging uses port 5433.",
			"Staging uses port 5433, the payments team moved its invoices to another supplier in spring, the office has a new coffee machine, and nobody repaired the bicycle garage.",
		},
		"do tests need Docker":              {"Tests need Docker running.", "Do tests need Docker running?"},
		"when was the broker replaced":      {"The broker was replaced in March 2026.", "The broker was replaced by another one."},
		"how many replicas does search run": {"Search runs three replicas.", "Search runs replicas."},
		"wann wurde der Broker ersetzt":     {"Der Broker wurde im März ersetzt.", "Der Broker wurde ohne Ausfall ersetzt."},
		"failed login attempts":             {"After failed login attempts it waits.", "A login that failed, after attempts, waits."},
	} {
		got, err := m.Match(t.Context(), query, passages(texts[0], texts[1]))
		if err != nil {
			t.Fatal(err)
		}
		if first, second := got[0].Relevance(0.5, 0), got[1].Relevance(0.5, 0); first <= second {
			t.Errorf("%s: %q has %.3f and %q %.3f; want the first before the second\n%+v", query, texts[0], first, texts[1], second, got)
		}
	}
}

// A title that has the query's words counts, and its date is no answer to "when".
func TestRelevanceOfATitle(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	list := []search.Passage{
		{Text: "Clean-up order\nEach step waits for the step before it.", Title: "Clean-up order"},
		{Text: "Mocks\nEach step waits for the step before it.", Title: "Mocks"},
		{Text: "Ann, 3 May 2025\nI moved house.", Title: "Ann, 3 May 2025"},
	}
	got, err := m.Match(t.Context(), "when does the order of clean-up steps matter", list)
	if err != nil {
		t.Fatal(err)
	}
	if !(got[0].Title > 0 && got[1].Title == 0) || got[2].Kinds&search.KindDate != 0 {
		t.Errorf("%+v", got)
	}
}

// SPEC §9: what has nothing to do with the question is below the floor, among few texts as
// among many; one word of it, or one like it, is above, and without a word to compare
// nothing is known.
func TestFloorOfRelevance(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for _, size := range []int{2, 8, search.Standard.Pool} {
		texts := passages("The release job runs the migrations.", "Ann adopted a dog.")
		for n := len(texts); n < size; n++ {
			texts = append(texts, search.Passage{Text: fmt.Sprintf("Staging listens on port %d.", 5400+n)})
		}
		for query, want := range map[string]bool{
			"refund policy for subscribers":            true,
			"which curve is used for the keys":         true,
			"does the release job run the migrations":  false,
			"who owns a puppy":                         false,
			"Wem gehört ein Welpe und warum":           false, // the table does not read it
			"what does the shipping task do in the db": false, // a word of the trade
			"the of and": false,
		} {
			got, err := m.Match(t.Context(), query, texts)
			if err != nil {
				t.Fatal(err)
			}
			if search.Unrelated(got) != want {
				t.Errorf("%q among %d: unrelated is %v\n%+v", query, size, !want, got)
			}
		}
	}
	if search.Unrelated(nil) {
		t.Error("of no passage nothing is known")
	}
}

// A word of the trade answers another, in either language and in any inflection, less than
// the same word does; words that nobody exchanges do not.
func TestWordsOfTheTrade(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	got, err := m.Match(t.Context(), "deleting arguments", passages("Parameter entfernen.", "The argument was deleted.", "The colour was chosen."))
	if err != nil {
		t.Fatal(err)
	}
	if !(got[1].Match > got[0].Match && got[0].Match > 0.5 && got[2].Match == 0) || got[0].Exact {
		t.Errorf("%+v", got)
	}
}

// A question for a place finds a path, and one for a reason what gives one; the same words
// asked otherwise seek neither.
func TestPlacesAndReasons(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	texts := passages("Retries are in `pkg/retry/policy.go`.", "Retries failed because the clock jumped.", "Retries and/or timeouts, e.g. three.")
	const place, reason = search.KindPlace, search.KindReason
	for query, want := range map[string][2]search.Kinds{
		"where are retries": {place, 0}, "welche Datei hat retries": {place, 0}, "why did retries fail": {0, reason}, "are there retries": {0, 0},
	} {
		got, err := m.Match(t.Context(), query, texts)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Kinds&place != want[0] || got[1].Kinds&reason != want[1] || got[2].Kinds&reason != 0 || got[1].Kinds&place != 0 {
			t.Errorf("%q: %+v", query, got)
		}
	}
}

// A redirect has no floor: the successor need not have the word by which the archived
// memory was found.
func TestNoFloorBehindARedirect(t *testing.T) {
	t.Parallel()
	pool, signs := make([]search.Scored, search.Standard.Pool), make([]search.Signs, search.Standard.Pool)
	if !search.BelowFloor(pool, signs, vector.Lists{Lexical: []vector.Hit{{State: vector.Active}}}) {
		t.Error("a pool without a sign is above the floor")
	}
	if search.BelowFloor(pool, signs, vector.Lists{Lexical: []vector.Hit{{State: vector.Active}, {State: vector.Archived, Successor: "other"}}}) {
		t.Error("a redirect was emptied")
	}
}

// SPEC §9: with vectors one passage must come near by vector and words together: the vector
// of one and the words of another do not add up, and an archived text has no floor.
func TestFloorReadsVectorsToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cosine float64 // of the first passage
		signs  search.Signs
		at     int // the passage that has the signs
		below  bool
	}{
		"nothing":                       {0.05, search.Signs{}, 0, true},
		"a word that stands anywhere":   {0.05, search.Signs{Cover: 0.2, Back: 0.05, Exact: true}, 0, true},
		"near as a whole":               {0.75, search.Signs{}, 0, false},
		"both a little":                 {0.3, search.Signs{Cover: 0.3, Back: 0.1}, 0, false},
		"both a little, in two texts":   {0.3, search.Signs{Cover: 0.3, Back: 0.1}, 1, true},
		"the rare words":                {0, search.Signs{Cover: 0.6, Back: 0.1}, 0, false},
		"a name of the question":        {0, search.Signs{Cover: 0.02, Named: true}, 1, false},
		"a question that it reads not":  {0, search.Signs{Unread: true}, 0, false},
		"against it as a whole, a word": {-0.4, search.Signs{Cover: 0.6, Back: 0.1}, 0, false},
		"half of a question of two":     {0.15, search.Signs{Cover: 0.2, Back: 0.05, Asked: 2}, 0, true},
		"half of a question of eight":   {0.15, search.Signs{Cover: 0.2, Back: 0.05, Asked: 8}, 0, false},
		"nothing of a question of many": {0.05, search.Signs{Asked: 20}, 0, true},
	} {
		pool, signs := make([]search.Scored, 16), make([]search.Signs, 16)
		pool[0].Cosine, signs[c.at] = c.cosine, c.signs
		for i := range signs {
			signs[i].Asked = max(2, c.signs.Asked)
		}
		lists := vector.Lists{Dense: []vector.Hit{{Score: c.cosine}}, Lexical: []vector.Hit{{State: vector.Active}}}
		if search.BelowFloor(pool, signs, lists) != c.below {
			t.Errorf("%s: below the floor is %v", name, !c.below)
		}
		lists.Lexical[0].State, lists.Lexical[0].Successor = vector.Archived, "other"
		if search.BelowFloor(pool, signs, lists) {
			t.Errorf("%s: a redirect was emptied", name)
		}
	}
	if search.BelowFloor(make([]search.Scored, 3), nil, vector.Lists{Dense: []vector.Hit{{Score: 0.01}}}) {
		t.Error("a pool that was not looked at is below the floor")
	}
}

// SPEC §9: texts that have nothing to do with a question are not shown beside the one that
// answers it; not left out are neighbours, what has a name of the question, and all where
// the floor does not hold. A text that repeats the question hides no other one.
func TestTailIsLeftOut(t *testing.T) {
	t.Parallel()
	near := func(n float64) search.Signs { return search.Signs{Cover: n / 2, Back: n / 4} }
	beside, named, german := near(0.1), near(0.1), near(0.1)
	beside.Beside, named.Named, german.Unread = 0.5, true, true
	dense := vector.Lists{Dense: []vector.Hit{{}}}
	for name, c := range map[string]struct {
		signs []search.Signs
		lists vector.Lists
		far   []bool
	}{
		"far from anything":      {[]search.Signs{near(0.8), near(0.2), near(0.4)}, dense, []bool{false, true, false}},
		"far from the nearest":   {[]search.Signs{near(1.6), near(0.4), near(0.5)}, dense, []bool{false, true, false}},
		"beside the answer":      {[]search.Signs{near(1.6), beside, near(0.1)}, dense, []bool{false, false, true}},
		"a name of the question": {[]search.Signs{near(1.6), named, near(0.1)}, dense, []bool{false, false, true}},
		"the question repeated":  {[]search.Signs{near(4), near(0.7), near(0.6)}, dense, []bool{false, false, true}},
		"in German":              {[]search.Signs{near(1.6), german}, dense, nil},
		"words alone":            {[]search.Signs{near(1.6), near(0.1)}, vector.Lists{}, nil},
		"behind a redirect":      {[]search.Signs{near(1.6), near(0.1)}, vector.Lists{Dense: dense.Dense, Lexical: []vector.Hit{{State: vector.Archived, Successor: "other"}}}, nil},
		"an undone merge":        {[]search.Signs{near(1.6), near(0.1)}, vector.Lists{Dense: dense.Dense, Lexical: []vector.Hit{{State: vector.Archived}}}, []bool{false, true}},
		"not looked at":          {nil, dense, nil},
	} {
		if far := search.Far(make([]search.Scored, 3), c.signs, c.lists); !slices.Equal(far, c.far) || (far == nil) != (c.far == nil) {
			t.Errorf("%s: far %v, want %v", name, far, c.far)
		}
	}
}

// SPEC §9: what a question asks for is in its rare words: "used" and "key" in a text do not
// answer "which curve", and one name in a pasted trace finds what has it.
func TestRareWordsDecideTheFloor(t *testing.T) {
	t.Parallel()
	m, table := search.NewMatcher(search.NewAnalyzer(), static.New().Embed), static.New()
	texts := []string{
		"The old checkout is still used by the kiosk in the hall of the main station.", "Login links are valid for fifteen minutes and work once.",
		"`ledgerd` needs the session lock before it writes.", "The price list is printed on Mondays.",
	}
	for query, below := range map[string]bool{
		"which paint is used":            true,
		"how are apprentices graded":     true,
		"who uses the former checkout":   false,
		"what takes the lock of ledgerd": false,
		"panic: runtime error: index out of range [7] with length 3 goroutine 41 [running]: main.flush(0xc000) /srv/build/flush.go:88 created by ledgerd in thread pool": false,
	} {
		vectors, err := table.Embed(t.Context(), append([]string{query}, texts...))
		if err != nil {
			t.Fatal(err)
		}
		pool, list := make([]search.Scored, len(texts)), make([]search.Passage, len(texts))
		for i, text := range texts {
			list[i].Text = text
			for k, x := range vectors[0] {
				pool[i].Cosine += float64(x * vectors[i+1][k])
			}
		}
		signs, err := m.Match(t.Context(), query, list)
		if err != nil {
			t.Fatal(err)
		}
		if search.BelowFloor(pool, signs, vector.Lists{Dense: []vector.Hit{{}}}) != below {
			t.Errorf("%q: below the floor is %v\n%+v", query, !below, signs)
		}
	}
}

// A neighbour that answers raises what stands beside it, whatever its own words are.
func TestRelevanceOfANeighbourInThePool(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	list := passages("Did you run the marathon?", "Yes, in June.", "Yes, in June.")
	list[0].Fused = 1
	list[1].Around = []search.Near{{Text: list[0].Text, Distance: 1, At: 1}}
	list[2].Around = []search.Near{{Text: list[0].Text, Distance: 1}}
	got, err := m.Match(t.Context(), "marathon", list)
	if err != nil {
		t.Fatal(err)
	}
	if got[1].Beside < 0.9 || got[2].Beside != 0 || got[1].Relevance(0, 0) <= got[2].Relevance(0, 0) {
		t.Errorf("%+v", got)
	}
}

// S9: a short turn of a talk is a greeting, a short memory of its own is a fact; and a fused
// score, which in a talk has a share of the neighbours', says less of what stands alone.
func TestRelevanceOfWhatStandsAlone(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	list := passages("Runs Postgres 15.", "Runs Postgres 15.")
	list[1].Around = []search.Near{{Text: "Nice.", Distance: 1}}
	got, err := m.Match(t.Context(), "database version", list)
	if err != nil {
		t.Fatal(err)
	}
	if !got[0].Alone || got[1].Alone || got[0].Relevance(0, 0.2) <= got[1].Relevance(0, 0.2) {
		t.Errorf("alone %.3f, in a talk %.3f", got[0].Relevance(0, 0.2), got[1].Relevance(0, 0.2))
	}
	of := func(s search.Signs, fused, cosine float64) float64 {
		return s.Relevance(fused, cosine) - s.Relevance(0, 0)
	}
	if of(got[0], 1, 0) >= of(got[1], 1, 0) || of(got[0], 0, 0.5) <= of(got[1], 0, 0.5) {
		t.Errorf("by the fused score %.3f and %.3f, by the cosine %.3f and %.3f",
			of(got[0], 1, 0), of(got[1], 1, 0), of(got[0], 0, 0.5), of(got[1], 0, 0.5))
	}
}

func TestMatchOfNothing(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for _, query := range []string{"", "the of and", "?!"} {
		got, err := m.Match(t.Context(), query, passages("The pool."))
		if err != nil || got != nil {
			t.Errorf("%q: %v, %v", query, got, err)
		}
	}
	if got, err := m.Match(t.Context(), "pool", nil); err != nil || len(got) != 0 {
		t.Errorf("no passages: %v, %v", got, err)
	}
}

func TestMatchReportsAFailingTable(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	m := search.NewMatcher(search.NewAnalyzer(), func(context.Context, []string) ([][]float32, error) { return nil, broken })
	if _, err := m.Match(t.Context(), "pool", passages("The pool.")); !errors.Is(err, broken) {
		t.Errorf("error %v, want the table's", err)
	}
}
