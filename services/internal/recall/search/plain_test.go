package search

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// someWords have vectors, groups of the thesaurus, lines of the dictionary, one stem in two
// inflections, no vector, and German forms.
var someWords = strings.Fields(`database databases queue queues spec test tests module component Schlüssel key keys
	Zonenschlüssel Datenbank puppy dog dogs kitten the and was ist der nicht wie 8080 v2 16.4 xqzt xqzts getHTTPResponse
	services/run/config.go May 2023 deploys deployed nightly Fehler error errors backup Sicherung restore who when`)

func drawText(t *rapid.T, name string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, most).Draw(t, name), " ")
}

// plainLikeness is how much a word resembles one of the query, pair by pair.
func plainLikeness(w, other *entry) float64 {
	like := 0.0
	switch {
	case w.name == other.name:
		return 1
	case len(w.values) > 0 && len(other.values) > 0:
		if cos := float64(dot.Coarse(w.wide(nil), other.values)) * float64(w.scale*other.scale); cos > 0 {
			like = sharpened(min(cos, 1))
		}
	case w.stem == other.stem:
		return 1
	}
	if w.group > 0 && other.group > 0 && like < tradeLikeness && exchanged(trade().lists[w.group], trade().lists[other.group]) {
		like = tradeLikeness
	}
	if like < translatedLikeness && germanEnglish().translated(w, other) {
		like = translatedLikeness
	}
	return like
}

// Words compared four at a time are alike, to the last bit, as they are pair by pair, and
// what is nearest is what it is among numbers.
func TestComparingTogetherChangesNoLikeness(t *testing.T) {
	t.Parallel()
	m := NewMatcher(NewAnalyzer(), static.New().Embed)
	rapid.Check(t, func(t *rapid.T) {
		v := m.vocabulary()
		defer m.done(v)
		asked := v.number(v.read(drawText(t, "query", 12)).numbers)
		if len(asked) == 0 {
			t.Skip("nothing is asked")
		}
		text := v.number(v.read(drawText(t, "text", 30)).numbers)
		if err := v.compare(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		c := comparison{vocabulary: v, asked: asked}
		best := make([]float64, v.stride)
		c.nearest(text, best)
		for q, a := range asked {
			nearest := 0.0
			for w := range v.words {
				want := plainLikeness(v.word(a), v.word(int32(w)))
				if got := math.Float64frombits(v.like[w*v.stride+q]); got != want {
					t.Fatalf("words %d and %d: %v, want %v", a, w, got, want)
				}
				if slices.Contains(text, int32(w)) {
					nearest = max(nearest, want)
				}
			}
			if best[q] != nearest {
				t.Fatalf("nearest to word %d: %v, want %v", a, best[q], nearest)
			}
		}
		for w := range v.words {
			most, rank := 0.0, int32(0)
			for q, a := range asked {
				most = max(most, plainLikeness(v.word(a), v.word(int32(w))))
				if rank == 0 && v.word(a).stem == v.word(int32(w)).stem {
					rank = int32(q) + 1
				}
			}
			if v.any[w] != most || v.rank[w] != rank {
				t.Fatalf("word %d: %v of rank %d, want %v of rank %d", w, v.any[w], v.rank[w], most, rank)
			}
		}
	})
}

// A memo changes no sign: not when it was written for a neighbour and is read for a passage,
// nor by another matcher, nor for a lexicon that is gone.
func TestMemoChangesNoSigns(t *testing.T) {
	t.Parallel()
	table := static.New().Embed
	plain := NewMatcher(NewAnalyzer(), table)
	kept := []*Matcher{NewMatcher(NewAnalyzer(), table), NewMatcher(NewAnalyzer(), table)}
	rapid.Check(t, func(t *rapid.T) {
		type document struct {
			title, text string
			memo        atomic.Value
		}
		docs := make([]*document, rapid.IntRange(1, 6).Draw(t, "documents"))
		for i := range docs {
			docs[i] = &document{title: drawText(t, "title", 3)}
			docs[i].text = docs[i].title + " " + drawText(t, "text", 20)
		}
		for range rapid.IntRange(1, 4).Draw(t, "searches") {
			m := rapid.SampledFrom(kept).Draw(t, "matcher")
			if rapid.IntRange(0, 3).Draw(t, "full") == 0 {
				l := m.lexicon.Load()
				l.mu.Lock()
				l.full = true
				l.mu.Unlock()
			}
			query := drawText(t, "query", 5)
			var with, without []Passage
			for _, d := range docs {
				if !rapid.Bool().Draw(t, "shown") {
					continue
				}
				p := Passage{Text: d.text, Title: d.title, Fused: 0.5}
				for k, near := range docs {
					if near != d && rapid.Bool().Draw(t, fmt.Sprint("near", k)) {
						p.Around = append(p.Around, Near{Text: near.text, Distance: 1 + k%3})
					}
				}
				without = append(without, p)
				p.Around = slices.Clone(p.Around)
				for i := range p.Around {
					for _, near := range docs {
						if near.text == p.Around[i].Text {
							p.Around[i].Memo = &near.memo
						}
					}
				}
				p.Memo = &d.memo
				with = append(with, p)
			}
			want, err := plain.Match(t.Context(), query, without)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Match(t.Context(), query, with)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
		}
	})
}
