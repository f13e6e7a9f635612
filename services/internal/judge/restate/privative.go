package restate

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// privative returns what a word denies by its own form: "compressed" of uncompressed, "name"
// of nameless; empty for others. A verb that takes something back ("unload") denies nothing.
func privative(w string) string {
	if rest, ok := strings.CutPrefix(w, "un"); ok && len(rest) >= 4 {
		for _, end := range []string{"ed", "able", "ible", "lich", "bar", "ig", "kannt"} {
			if strings.HasSuffix(rest, end) && !positive[w] {
				return rest
			}
		}
		if negative[rest] {
			return rest
		}
		return ""
	}
	for _, lead := range []string{"non-", "nicht-"} {
		if rest, ok := strings.CutPrefix(w, lead); ok {
			return rest
		}
	}
	for _, end := range []string{"less", "-free", "-frei", "-los", "loser", "losen", "loses", "los"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 && !positive[w] {
			return rest
		}
	}
	return ""
}

var (
	// positive are words that end and begin like those that deny and do not.
	positive = memory.WordSet(`united unified universally unless nevertheless nonetheless regardless doubtless bless priceless ungefähr unsigned reckless restless`)
	// negative are irregular forms and adjectives of which "un" makes the contrary.
	negative = memory.WordSet(`known safe clear equal even fair true likely available seen sent written broken set read usual certain aware
 gleich klar sicher wahr gelesen geschrieben verschlüsselt benutzt genutzt verändert geprüft`)
)
