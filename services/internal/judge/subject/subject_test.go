package subject_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// read takes a text apart as triage does.
func read(a *lexical.Analyzer, text string) (subject.Subject, *lexical.Doc) {
	text = memory.Clean(text)
	tokens := memory.Scan(text)
	stamps := memory.Stamps(text, tokens)
	d := a.Analyze(tokens, stamps)
	return subject.Of(tokens, stamps, d.German, func(word string, ident bool) uint64 { return a.ID(word, ident, d.German) }), d
}

// relate compares two texts and checks that their order does not matter.
func relate(t *testing.T, a *lexical.Analyzer, x, y string) subject.Relation {
	t.Helper()
	s, p := read(a, x)
	o, q := read(a, y)
	got := subject.Relate(s, o, p, q)
	if back := subject.Relate(o, s, q, p); back != got {
		t.Errorf("%q and %q: %d one way, %d the other", x, y, got, back)
	}
	return got
}

func TestRelate(t *testing.T) {
	t.Parallel()
	a := lexical.NewAnalyzer()
	for _, c := range []struct {
		x, y string
		want subject.Relation
	}{
		// The same sentence about another thing.
		{"checkout listens on 8080", "billing listens on 8081", subject.Different},
		{"The cert of mail.example.org expires on 2026-09-01.", "The cert of shop.example.org expires on 2026-09-14.", subject.Different},
		{"The nightly export ran 40 minutes on 2026-02-02.", "The weekly export ran 95 minutes on 2026-02-02.", subject.Different},
		{"Release 3.4.0 was tagged on 2026-01-15.", "Release 3.5.0 was tagged on 2026-02-12.", subject.Different},
		{"Worker 3 holds 12 jobs.", "Worker 4 holds 3 jobs.", subject.Different},
		{"Priya has write access to the deploy repository.", "Tomasz has write access to the deploy repository.", subject.Different},
		{"In staging the gateway times out after 5 s.", "In production the gateway times out after 30 s.", subject.Different},
		{"On 2026-03-02 we raised the memory limit of billing-worker to 512 MiB.", "On 2026-03-04 we raised the memory limit of invoice-worker to 768 MiB.", subject.Different},
		{"The retention is 7 days for `access_log`.", "The retention is 90 days for `audit_log`.", subject.Different},
		{"Der Rechner db-03 hat 64 GiB Speicher.", "Der Rechner db-04 hat 32 GiB Speicher.", subject.Different},
		{"Seit dem 2026-02-10 läuft der Dienst suche auf Port 7001.", "Seit dem 2026-02-10 läuft der Dienst warenkorb auf Port 7002.", subject.Different},
		{"bumped axios to 1.7.2 in package.json", "bumped zod to 3.23.8 in package.json", subject.Different},
		// The same thing with another value.
		{"checkout listens on 8080", "checkout listens on 8081", subject.Same},
		{"Sessions of `portal` are kept in Redis.", "Sessions of `portal` are kept in Postgres.", subject.Same},
		{"Deployed api-gateway v1.4.2 (2026-02-20).", "Deployed api-gateway v1.4.3 (2026-02-27).", subject.Same},
		{"Die Ablage behält Protokolle 7 Tage.", "Die Ablage behält Protokolle 30 Tage.", subject.Same},
		// The same thing in other words.
		{"The queue `orders.paid` has 6 consumers.", "6 consumers read the queue `orders.paid`.", subject.Same},
		// One of the two leaves open what it is about.
		{"Retries are capped at 5.", "Retries of `mailer` are capped at 3.", subject.Unclear},
		{"It listens on 8080.", "", subject.Unclear},
	} {
		if got := relate(t, a, c.x, c.y); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.x, c.y, got, c.want)
		}
	}
}

// Of is called with whatever a publisher sends.
func FuzzOf(f *testing.F) {
	f.Add("checkout listens on 8080")
	f.Add("`(`)\x00→ -> \xff \"'“")
	a := lexical.NewAnalyzer()
	f.Fuzz(func(t *testing.T, text string) {
		if relate(t, a, text, text) == subject.Different {
			t.Errorf("%q is not about what it is about", text)
		}
	})
}

func entryOf(text string) *subject.Entry {
	tokens := memory.Scan(text)
	e := &subject.Entry{}
	e.Read(text, tokens, memory.Stamps(text, tokens))
	return e
}

// SPEC §6: a name and a number at two places make another entry; a value, a state or a place
// that is said of the subject does not.
func TestOtherEntry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		other bool
	}{
		{"`meter` showed the line `red` 3 minutes late.", "`meter` showed the line `blue` 41 seconds late.", true},
		{"Payroll run 2026-02 had 412 slips.", "Payroll run 2026-03 had 415 slips.", true},
		{"The clinic sends dental letters over port 6661.", "The clinic sends optical letters over port 6664.", true},
		{"`meter` showed the line `red` 3 minutes late.", "`meter` showed the line `red` 41 seconds late.", false},
		{"`meter` showed the line `red` 3 minutes late.", "`meter` showed the line `blue` 3 minutes late.", false},
		{"The mill runs on `node-3` with 4 cores.", "The mill runs on `node-5` with 8 cores.", false},
		{"The heater is enabled below 4 degrees.", "The heater is disabled below 7 degrees.", false},
		{"The owner of the gate is Noor since 3 weeks.", "The owner of the gate is Elif since 2 weeks.", false},
		{"`relay` uses the image relay:1.4.2 on 3 hosts.", "`relay` uses the image relay:1.5.0 on 4 hosts.", false},
		{"The oven runs on AlmaLinux 8 since May.", "The oven runs on CentOS 7 since May.", false},
		{"Die Sicherung von db02 mit restic um 03:00.", "Die restic-Sicherung von db02 um 22:15.", false},
		// Another name in the subject, and another of what is said of it.
		{"Das Referat Wasser nutzt den Briefkopf `blau-lang`.", "Das Referat Verkehr nutzt den Briefkopf `grau-kurz`.", true},
		{"The bakery's price list arrives as XLSX through `pull-bakery`.", "The dairy's price list arrives as EDIFACT through `pull-dairy`.", true},
		{"Die Rechnung der Mensa wird mit Typst gesetzt.", "Die Rechnung der Bibliothek wird mit LaTeX gesetzt.", true},
		{"Die Rechnung der Mensa wird mit Typst gesetzt.", "Die Rechnung der Mensa wird mit LaTeX gesetzt.", false},
		{"The choir sings in the old hall with Mira.", "The choir sings in the new hall with Tom.", false},
		// A number before the verb that says which one.
		{"Fuel grade 4 in `pumps.csv` costs 1.71 EUR.", "Fuel grade 7 in `pumps.csv` costs 1.88 EUR.", true},
		{"The harvest of 2019 produced 61 barrels.", "The harvest of 2021 produced 48 barrels.", true},
		{"The check for Perl 5.36 has been quick since May (`check-perl536.yml`).", "The check for Perl 5.38 has been slow since May (`check-perl538.yml`).", true},
		{"The check for Perl 5.36 has been quick since May.", "The check for Perl 5.38 has been slow since May.", false},
		// Codes that begin with digits, and a width with a height.
		{"Plot 17QXB gave 41 kg with `seed-mix`.", "Plot 22LMD gave 36 kg with `seed-mix`.", true},
		{"Zone 44TR-OST lost 2.5 % in `grid.csv`.", "Zone 44TR-WEST lost 3.5 % in `grid.csv`.", true},
		{"The scanner saves cover pages at 800x600.", "The scanner saves inner pages at 2400x1800.", true},
		{"The pump draws 17MHZ from the mains at 4 bar.", "The pump draws 22MHZ from the mains at 6 bar.", false},
		// The place where something was counted.
		{"Rendering used 41 % of the battery on the Fairphone 4a.", "Rendering used 57 % of the battery on the Nokia X20.", true},
		{"In week 9 the camera read 97 % of the plates at the north-side gate.", "In week 9 the camera read 91 % of the plates at the south-side gate.", true},
		{"12 entries were deleted from the Polish glossary.", "90 entries were deleted from the Danish glossary.", true},
		{"The guild mailed the March flyer to 310 homes.", "The guild mailed the May flyer to 305 homes.", true},
		{"The mill keeps 4 copies and runs on `node-3`.", "The mill keeps 8 copies and runs on `node-5`.", false},
	} {
		german := strings.HasPrefix(c.a, "Die ") || strings.HasPrefix(c.a, "Das ")
		a, b := entryOf(c.a), entryOf(c.b)
		if got := subject.OtherEntry(a, b, german); got != c.other {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
		if got := subject.OtherEntry(b, a, german); got != c.other {
			t.Errorf("%q and %q the other way: %v", c.b, c.a, got)
		}
	}
}
