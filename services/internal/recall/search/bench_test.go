package search_test

import (
	"fmt"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const note = "Integration tests need Docker to be running; otherwise `make test` skips them (services/internal/test/testenv, since v1.4.2, 8 May 2023)."

// BenchmarkWords is one note, with its stems known.
func BenchmarkWords(b *testing.B) {
	a := search.NewAnalyzer()
	b.ReportAllocs()
	b.SetBytes(int64(len(note)))
	for b.Loop() {
		_ = a.Words(note)
	}
}

// BenchmarkRank is everything between the index and the answer, for the pool of
// an ordinary search and of a deep one.
func BenchmarkRank(b *testing.B) {
	for _, depth := range []search.Depth{search.Standard, search.Deep} {
		b.Run(fmt.Sprintf("pool=%d", depth.Pool), func(b *testing.B) {
			var lists vector.Lists
			rows := map[string]search.Row{}
			texts := map[string]string{}
			for i := range depth.Candidates {
				id := fmt.Sprintf("m%04d", i)
				rows[id] = fact()
				texts[id] = fmt.Sprintf("%s Case %d of %s.", note, i, []string{"billing", "search", "parser", "gateway"}[i%4])
				lists.Dense = append(lists.Dense, vector.Hit{ID: id, Score: 1 - float64(i)/1000, State: vector.Active})
				lists.Lexical = append(lists.Lexical, vector.Hit{ID: id, Score: 10 - float64(i)/100, State: vector.Active})
			}
			o := search.DefaultOptions()
			m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
			b.ReportAllocs()
			for b.Loop() {
				pool := search.Gather(search.Fuse(lists, o), of(rows), search.Filter{}, o, depth.Pool)
				passages := make([]search.Passage, len(pool.Scored))
				for i, s := range pool.Scored {
					passages[i].Text = texts[s.ID]
				}
				match, err := m.Match(b.Context(), "which tests are skipped when Docker does not run?", passages)
				if err != nil {
					b.Fatal(err)
				}
				_ = search.Settle(pool, search.Evidence{Match: match}, of(rows), o, depth.Most)
			}
		})
	}
}
