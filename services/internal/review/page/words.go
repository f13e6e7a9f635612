package page

import (
	"strings"
	"unicode/utf8"
)

// wordRunes is the length from which one word counts as several, because a text without
// spaces takes time to read too.
const wordRunes = 24

// words returns how many words a text costs its reader.
func words(text string) int {
	n := 0
	for _, f := range strings.Fields(text) {
		n += cost(f)
	}
	return n
}

func cost(word string) int { return 1 + (utf8.RuneCountInString(word)-1)/wordRunes }

// clip cuts a text at limit words, with an ellipsis.
func clip(text string, limit int) string {
	if words(text) <= limit {
		return text
	}
	var kept []string
	for _, f := range strings.Fields(text) {
		if c := cost(f); c <= limit {
			kept, limit = append(kept, f), limit-c
			continue
		}
		if limit > 0 {
			kept = append(kept, string([]rune(f)[:limit*wordRunes-1]))
		}
		break
	}
	return strings.Join(kept, " ") + "…"
}
