package search

import (
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Language returns the language of a text as a BCP 47 tag, "en" or "de", by its
// function words; empty where they do not decide.
func Language(text string) string {
	switch language.Of(memory.Scan(text)) {
	case language.English:
		return "en"
	case language.German:
		return "de"
	}
	return ""
}
