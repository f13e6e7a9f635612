package search_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
)

func TestLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The build fails, and I do not know why.":           "en",
		"Der Build schlägt fehl, und ich weiß nicht warum.": "de",
		"make build": "",
		"":           "",
	} {
		if got := search.Language(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
