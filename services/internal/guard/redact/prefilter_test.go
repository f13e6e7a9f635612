package redact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is looked at before an expression runs is only there for speed: it never
// changes what the expression finds.
func TestPrefiltersLoseNothing(t *testing.T) {
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
		if longFlagHead.MatchString(text) && !flagBefore(text) {
			r.Errorf("%q is the head of a flag", text)
		}
		if opensslPass.MatchString(text) && !strings.Contains(text, "-pass") {
			r.Errorf("%q is a flag of openssl", text)
		}
	})
}
