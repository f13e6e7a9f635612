package weekly

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// fallback is the language of a user about whom nothing is known (D11).
const fallback = "en"

// Languages lists the languages that have a prompt, as BCP 47 tags: the folders of
// template. Another language is one more folder.
func Languages() []string {
	entries, err := fs.ReadDir(templates, "template")
	if err != nil {
		return nil // tests check that the templates exist
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// Language returns the language of the prompt for a user (D11): the configured one, else
// the one that most of the memories with a recognisable language have, English when in
// doubt. A configured tag may have a region ("de-AT"). A language without a prompt is
// English.
func Language(configured string, memories []memory.Memory) string {
	if configured != "" {
		tag, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(configured, "_", "-")), "-")
		if slices.Contains(Languages(), tag) {
			return tag
		}
		return fallback
	}
	votes := map[string]int{}
	for i := range memories {
		votes[search.Language(textOf(&memories[i]))]++
	}
	best := fallback
	for _, tag := range Languages() {
		if votes[tag] > votes[best] {
			best = tag
		}
	}
	return best
}
