package restate

import "testing"

// A word denies by its form what its stem says; a stranger's word that only looks so does not.
func TestPrivative(t *testing.T) {
	t.Parallel()
	for w, want := range map[string]string{
		"uncompressed": "compressed", "nameless": "name", "unreadable": "readable", "unknown": "known", "non-empty": "empty", "unlesbar": "lesbar",
		"rate-free": "rate", "kabellos": "kabel",
		"under": "", "unload": "", "until": "", "united": "", "unless": "", "unit": "", "un": "", "": "", "less": "", "los": "", "unlock": "",
	} {
		if got := privative(w); got != want {
			t.Errorf("%q denies %q, want %q", w, got, want)
		}
	}
}
