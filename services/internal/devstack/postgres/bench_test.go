package postgres

import (
	"path/filepath"
	"strconv"
	"testing"
)

// What winnow dev pays on its first start and on every later one, what a test
// process pays with a seed, and what the end costs.
func BenchmarkStart(b *testing.B) {
	home := folder(b)
	made := 0
	fresh := func() string {
		made++
		return filepath.Join(home, strconv.Itoa(made))
	}
	b.Run("first", func(b *testing.B) {
		benchmarkStart(b, func() Options { return Options{DataDir: fresh()} })
	})
	b.Run("again", func(b *testing.B) {
		dir := fresh()
		begin(b, Options{DataDir: dir}).Stop(b.Context())
		benchmarkStart(b, func() Options { return Options{DataDir: dir} })
	})
	b.Run("seeded", func(b *testing.B) {
		seed := filepath.Join(home, "seed")
		begin(b, Options{DataDir: fresh(), Ephemeral: true, Seed: seed}).Stop(b.Context())
		benchmarkStart(b, func() Options { return Options{DataDir: fresh(), Ephemeral: true, Seed: seed} })
	})
	b.Run("stop", func(b *testing.B) {
		dir := fresh()
		for b.Loop() {
			b.StopTimer()
			c := begin(b, Options{DataDir: dir})
			b.StartTimer()
			if err := c.Stop(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchmarkStart times starts only, not the stops between them.
func benchmarkStart(b *testing.B, options func() Options) {
	b.Helper()
	for b.Loop() {
		c := begin(b, options())
		b.StopTimer()
		if err := c.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
