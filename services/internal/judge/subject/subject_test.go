package subject_test

import (
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
