package similar_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/similar"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// BenchmarkBetween compares two analysed notes, as triage does for each candidate.
func BenchmarkBetween(b *testing.B) {
	texts := []string{
		"The connection pool of the billing service holds 20 connections.",
		"billing-service keeps a pool of 20 database connections.",
	}
	vectors, err := static.New().Embed(b.Context(), texts)
	if err != nil {
		b.Fatal(err)
	}
	words := lexical.NewAnalyzer()
	x, y := similar.Read(words, texts[0], vectors[0]), similar.Read(words, texts[1], vectors[1])
	b.ReportAllocs()
	for b.Loop() {
		_ = similar.Score(similar.Between(x, y))
	}
}
