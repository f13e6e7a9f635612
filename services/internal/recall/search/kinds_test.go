package search_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// A text has what a question asks for, although no word of the one is in the other; the text
// beside it has numbers or words of the same field and not that.
func TestKindsOfAnswers(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	for _, c := range []struct {
		query, answer, other string
		kind                 search.Kinds
	}{
		{"how long until the spare takes over", "The standby answers after 18 s without a reply.", "The standby answers on port 18.", search.KindSpan},
		{"how far back can I look", "The table drops partitions after 35 days.", "The table has 35 partitions.", search.KindSpan},
		{"time until a change is live", "It polls every three minutes.", "It polls three branches.", search.KindSpan},
		{"how often are backups made", "Backups run nightly.", "Backups go to a bucket.", search.KindSpan},
		{"retention of the logs", "Logs live for 72h.", "Logs live in h72.", search.KindSpan},
		{"wie lange bleiben Videos", "Aufnahmen werden nach 14 Tagen gelöscht.", "Aufnahmen werden in Halle 14 gelöscht.", search.KindSpan},
		{"which database version do we run", "The primary is on Postgres 16.4.", "The primary has 16.4 GB.", search.KindVersion},
		{"why are we not on the newest driver", "We pinned v2 again.", "We pinned two again on 09.04.2026.", search.KindVersion},
		{"at what hours may nodes be merged", "It consolidates between 01:00 and 05:00.", "It consolidates between one and five jobs.", search.KindHour},
		{"when do the files come", "The export runs on Fridays.", "The export runs on two nodes.", search.KindHour},
		{"wann kommen die Dateien", "Der Export läuft werktags.", "Der Export läuft auf zwei Knoten.", search.KindHour},
		{"in which sequence are servers rolled out", "A node goes first, then the others.", "A node goes alone.", search.KindOrder},
		{"who signs the invoices", "The office manager signs.", "The printer signs.", search.KindPerson},
		{"can a coupon pay a deposit", "Deposits are never paid by voucher.", "Deposits are booked by voucher.", search.KindRule},
		{"darf ein Gutschein das Pfand bezahlen", "Pfand ist ausgenommen.", "Pfand ist eine Position.", search.KindRule},
		{"what happens when a worker dies", "Without a heartbeat the job goes back to the queue.", "The heartbeat and the job go to the queue.", search.KindCase},
		{"how are duplicates handled", "Rows are skipped when their hash exists.", "Rows have a hash and a number.", search.KindCase},
		{"was passiert bei einem Stromausfall", "Sobald die Batterie leer ist, schließt das Ventil.", "Die Batterie und das Ventil liegen im Keller.", search.KindCase},
		{"the export is empty on Sundays", "It fails at the turn of the week.", "It runs at the turn of the week.", search.KindFailure},
		{"biggest file somebody can hand in", "Uploads of 50 MB pass.", "Uploads of 50 people pass.", search.KindSize},
		{"memory of a worker", "Each has 512MiB.", "Each has m512.", search.KindSize},
		{"what does a reminder cost", "Each letter is booked with 1.50 €.", "Each letter is booked with 1.50 points.", search.KindMoney},
		{"Preis eines Ausweises", "Ein neuer ist für 5 Euro zu haben.", "Ein neuer ist für 5 Jahre zu haben.", search.KindMoney},
		{"how big may an upload be", "Uploads have 50 MB.", "Uploads have limits.", search.KindNumber},
	} {
		got, err := m.Match(t.Context(), c.query, passages(c.answer, c.other))
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Kinds&c.kind == 0 || got[1].Kinds&c.kind != 0 {
			t.Errorf("%q: kinds %b of %q and %b of %q; want %b in the first alone", c.query, got[0].Kinds, c.answer, got[1].Kinds, c.other, c.kind)
		}
		if got[0].Relevance(0, 0) <= got[1].Relevance(0, 0) {
			t.Errorf("%q: %q has %.3f, %q %.3f", c.query, c.answer, got[0].Relevance(0, 0), c.other, got[1].Relevance(0, 0))
		}
	}
}

// What asks for no kind gets none, whatever the text has; and whoever pads a text with every
// kind of answer wins less by it, the longer the text is.
func TestKindsOfAStranger(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	all := "Nobody must restart it: since March the team waits 18 s first, then v1.2.3 in /etc/app.conf daily at 23:15, three times."
	got, err := m.Match(t.Context(), "broken receipt printer", passages(all))
	if err != nil || got[0].Kinds != 0 {
		t.Errorf("%b, %v; want no kind", got[0].Kinds, err)
	}
	padded := all
	for i := range 200 {
		padded += " filler" + strings.Repeat("x", i)
	}
	got, err = m.Match(t.Context(), "how long does it wait", passages(all, padded))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Brief != 1 || got[1].Brief > 0.25 || got[0].Kinds == 0 || got[1].Kinds != got[0].Kinds {
		t.Errorf("%+v", got)
	}
}
