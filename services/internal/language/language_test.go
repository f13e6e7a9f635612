package language_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// One word of the other language, or a word of both, decides nothing.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]language.Language{
		"The workers die when the socket closes.":                                  language.English,
		"I am sure that the `mit` license will do.":                                language.English,
		"Die Sicherung läuft am Montag.":                                           language.German,
		"Der Drucker will ohne Neustart nicht.":                                    language.German,
		"Der Cache von billing was removed with the old deployment, so it is gone": language.English,
		"Port 8080":                  language.Open,
		"`der die das` is a fixture": language.English,
		"":                           language.Open,
	} {
		if got := language.Of(memory.Scan(text)); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

// Function words of one language are none of the other, except for those of both.
func TestFunction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word string
		in   language.Language
		want bool
	}{
		{"und", language.German, true}, {"und", language.English, false}, {"und", language.Open, true},
		{"the", language.German, false}, {"am", language.English, true}, {"am", language.German, true}, {"port", language.Open, false},
	} {
		if got := language.Function(c.word, c.in); got != c.want {
			t.Errorf("%q in %d: %v", c.word, c.in, got)
		}
	}
}

// Common words are known, names are not.
func TestKnown(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"server": true, "the": true, "grafana": false, "rusqlite": false, "##ing": false, "": false} {
		if got := language.Known(word); got != want {
			t.Errorf("%q is known: %v", word, got)
		}
	}
}

// A word of every text is less rare than one of a trade, that less than a name, and a
// number or a German word is as rare as can be.
func TestRarity(t *testing.T) {
	t.Parallel()
	before := 0.0
	for _, word := range []string{"used", "server", "inventory", "ledgerd"} {
		r := language.Rarity(word)
		if r <= before || r > 1 {
			t.Errorf("%s has a rarity of %.2f, the word before it %.2f", word, r, before)
		}
		before = r
	}
	for _, word := range []string{"48213", "abgerechnet", "ledgerd's", ""} {
		if r := language.Rarity(word); r != 1 {
			t.Errorf("%q has a rarity of %.2f, want 1", word, r)
		}
	}
	if a, b := language.Rarity("server's"), language.Rarity("server"); a != b {
		t.Errorf("server's is %.2f, server %.2f", a, b)
	}
}
