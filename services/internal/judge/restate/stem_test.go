package restate

import (
	"testing"

	"pgregory.net/rapid"
)

// Words are told apart by their first letter only where their stems differ.
func TestOneStem(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("aeiouydgnstlrYID's’ü9-")), 0, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		x := word.Draw(t, "x")
		y := rapid.OneOf(word, rapid.Map(rapid.SampledFrom([]string{"ing", "ed", "s", "'s", "ies", "ly"}), func(end string) string { return x + end }),
			rapid.Map(word, func(s string) string { return "'" + x })).Draw(t, "y")
		if got, want := oneStem(x, y), stem(x, false) == stem(y, false); got != want {
			t.Fatalf("%q %q: %v, want %v", x, y, got, want)
		}
	})
}
