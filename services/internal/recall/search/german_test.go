package search_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// A question in one language finds a text in the other, also by the last part of a compound,
// before a text in the question's own language about something else.
func TestAcrossLanguages(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for query, texts := range map[string][2]string{
		"Wann werden die Sitzungsschlüssel getauscht?":  {"Keys rotate on the first Tuesday of a month.", "Die Hotline ist rund um die Uhr besetzt und am Dienstag auch."},
		"Welches Trennzeichen hat die Ausgabedatei?":    {"The export file uses a semicolon as separator.", "Die Ausgabe liegt im Büro und ist nur für Gäste lesbar."},
		"Wie lange bleiben gelöschte Nachrichten?":      {"Deleted messages are kept for 30 days.", "Der Zähler wartet nicht auf die Anlage."},
		"how is the price of a contract calculated":     {"Der Vertragspreis wird aus dem Verbrauch berechnet.", "Die Prüfung der Anlage dauert zwei Tage."},
		"which invoices does the supplier get reminded": {"Für offene Rechnungen bekommt der Lieferant eine Mahnung.", "Der Wagen steht in der Halle."},
	} {
		got, err := m.Match(t.Context(), query, passages(texts[0], texts[1]))
		if err != nil {
			t.Fatal(err)
		}
		if first, second := got[0].Relevance(0, 0), got[1].Relevance(0, 0); first <= second {
			t.Errorf("%s: %q has %.3f and %q %.3f\n%+v", query, texts[0], first, texts[1], second, got)
		}
	}
}

// A word that both languages have means what it means in the text's own: "last" is no load,
// "kind" no child, "still" not quiet, in an English text.
func TestHomographsAreNotTranslated(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	for query, text := range map[string]string{
		"what load does the crane carry": "The last person to leave closes the door of the crane.",
		"which child opened the ticket":  "It is a kind of ticket that nobody reads.",
		"is it quiet in the archive":     "The archive is still open.",
	} {
		with, err := m.Match(t.Context(), query, passages(text))
		if err != nil {
			t.Fatal(err)
		}
		// One of the question's words stands there, and no translation is counted for another.
		if with[0].Match == 0 || with[0].Match > 0.6 {
			t.Errorf("%q: %+v", query, with[0])
		}
	}
}

// The floor of relevance does not judge a question with a German word, even where two nouns
// are all of it.
func TestGermanNounsHaveNoFloor(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), static.New().Embed)
	for query, unread := range map[string]bool{"Sitzungsschlüssel Wechsel": true, "session key change": false, "last kind still": false} {
		got, err := m.Match(t.Context(), query, passages("Nothing of it.", "Nor here."))
		if err != nil || got[0].Unread != unread || got[1].Unread != unread {
			t.Errorf("%q: %+v, %v; want unread %v", query, got, err, unread)
		}
	}
}
