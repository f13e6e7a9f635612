package redact_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
)

// A secret that had a label once is one wherever it comes again, and the same
// one; the next conversation knows nothing of it.
func TestStreamRemembers(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	s := r.Stream("acme")
	const secret = "Winter2026staging"
	first := s.Text("password=" + secret)
	if strings.Contains(first, secret) || redact.Count(first) != 1 {
		t.Fatalf("%q", first)
	}
	again := s.Text("I log in with " + secret + ", twice: " + secret)
	if strings.Contains(again, secret) || redact.Count(again) != 2 {
		t.Errorf("%q", again)
	}
	if want := strings.TrimPrefix(first, "password="); !strings.Contains(again, want) {
		t.Errorf("%q does not have %q", again, want)
	}
	if s.Text(again) != again {
		t.Error("redacting it again changes it")
	}
	if alone := r.Stream("acme").Text("I log in with " + secret); redact.Count(alone) != 0 {
		t.Errorf("%q", alone)
	}
}

// What is compared and hashed does not tell one secret from another.
func TestUntagged(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	a, _ := r.Text("acme", "password=Winter2026staging")
	b, _ := r.Text("acme", "password=Summer2027live99")
	if a == b || redact.Untagged(a) != redact.Untagged(b) || redact.Untagged("plain") != "plain" {
		t.Errorf("%q and %q", a, b)
	}
}

// A secret that stands alone before it is called one, in quotes or at the end of
// a sentence, is the same secret; a plain word that was a password once stays a
// word elsewhere.
func TestRepeatsWithoutTheirMarks(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	for _, text := range []string{
		`ihEFwJShgxg9eW password = "ihEFwJShgxg9eW"`,
		"qePgU6WkpMba The password for staging is qePgU6WkpMba.",
		`aZtNqZtyPNSxLh then password: "aZtNqZtyPNSxLh"`,
	} {
		secret := strings.Fields(text)[0]
		if got, _ := r.Text("acme", text); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
		s := r.Stream("acme")
		s.Text(text)
		if got := s.Text("again: " + secret); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
	}
	if got, _ := r.Text("acme", `The development server: password = "development"`); !strings.Contains(got, "The development server") {
		t.Errorf("%q", got)
	}
}
