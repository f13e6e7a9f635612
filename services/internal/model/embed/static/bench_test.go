package static_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// One core, texts of 15 to 30 words, and a megabyte, of which the beginning
// counts.
func BenchmarkEmbed(b *testing.B) {
	text := "The relay publishes from the outbox in order; when NATS is away it waits with backoff and no " +
		"event is lost, because the rows stay until they are acknowledged."
	for name, text := range map[string]string{
		"memory":   text,
		"german":   "Die Größe des Verbindungspools beträgt acht; größere Pools überlasten die Datenbank während der nächtlichen Prüfung.",
		"megabyte": strings.Repeat(text+" ", 1<<20/len(text)),
	} {
		b.Run(name, func(b *testing.B) {
			e := static.New()
			texts := []string{text}
			if _, err := e.Embed(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Embed(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

// The first text pays for the index of the vocabulary.
func BenchmarkFirst(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := static.New().Embed(b.Context(), []string{"first"}); err != nil {
			b.Fatal(err)
		}
	}
}
