package search

import "github.com/winnowhq/winnow/services/internal/memory"

// Language returns the language of a text as a BCP 47 tag, "en" or "de", by its stop
// words; empty where they do not decide.
func Language(text string) string {
	switch languageOf(memory.Scan(text)) {
	case english:
		return "en"
	case german:
		return "de"
	}
	return ""
}
