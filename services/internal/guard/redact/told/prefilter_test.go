package told

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is looked at before an expression runs is only there for speed: it never
// changes what the expression finds.
func TestPrefilterLosesNothing(t *testing.T) {
	t.Parallel()
	parts := []string{
		"is", "was", "as", "IST", "war", "als", "=", "iſ", "the", "its", "das", "mein ", "neue", "still", "immer noch", "now", "shared", "root-", "db-", "app-",
		"hunter2!x9", "\"Tr0ub4dor&3\"", "„Kx9!mQ2z“", "(q8w7e6r5", "x", "note", "--", "-", "/", "--db-", "-pass", "-passin ", "/p", "a.b-c.", "'", "\"", "(", "[",
		"\n", "\t", "\f", "\v", " ", " ", " ", "\u00a0", "ß", "\xff",
	}
	rapid.Check(t, func(r *rapid.T) {
		var head strings.Builder
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(parts), 0, 14).Draw(r, "parts") {
			head.WriteString(p)
			if rapid.Bool().Draw(r, "blank") {
				head.WriteByte(' ')
			}
		}
		text := head.String()
		want := valueFirst.FindStringSubmatchIndex(text)
		var got []int
		if from := leadsToNoun(text); from >= 0 {
			got = valueFirst.FindStringSubmatchIndex(text[from:])
			for i := range got {
				got[i] += from
			}
		}
		if (want == nil) != (got == nil) || want != nil && (want[2] != got[2] || want[3] != got[3]) {
			r.Errorf("before the noun, %q: %v, without the filter %v", text, got, want)
		}
	})
}

// A code is never told without the figures that are looked for first.
func TestCodesNeedFigures(t *testing.T) {
	t.Parallel()
	parts := []string{"is", " ", ":", "ist", "now", "4471", "62#0437", "1", "-", "*", "#", "of the gate", "\n", "2026", "x", ".", "\"", "00"}
	rapid.Check(t, func(r *rapid.T) {
		tail := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 10).Draw(r, "parts"), "")
		if m := codeTail.FindStringSubmatch(tail); m != nil && figures(m[1]) >= 4 && !dialled(tail) {
			r.Errorf("%q tells a code", tail)
		}
	})
}
