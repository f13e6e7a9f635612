package redact_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
)

// An ordinary id stays; one that holds a secret becomes the same hash in processes with
// different keys, so that a repeat is known, and another for another secret.
func TestID(t *testing.T) {
	t.Parallel()
	one, _ := redact.New(redact.Config{Key: []byte("a key for tests")})
	two, _ := redact.New(redact.Config{Key: []byte("another key for tests")})
	for _, id := range []string{
		"", "evt_01M8305XA6KP0AC98N7EEWQSNZ", "run-7", "SESSIONS:12:1763860000000000000", "5f1c8f0e-8d0e-4d5b-9a52-3a0a6ad8d1b7",
		"refs/pull/77/merge:9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a", "deploy-1604", "urn:ci:build:4711",
	} {
		if got := one.ID(id); got != id {
			t.Errorf("%q became %q", id, got)
		}
	}
	seen := map[string]bool{}
	for range 3 {
		secret := "ghp_" + (rand.Text() + rand.Text())[:36]
		for _, id := range []string{secret, "job " + secret, "postgres://ci:" + secret + "@db/x"} {
			got := one.ID(id)
			if strings.Contains(got, secret) || !strings.HasPrefix(got, "hidden-") || got != two.ID(id) || got != one.ID(got) || seen[got] {
				t.Errorf("%q became %q and %q", id, got, two.ID(id))
			}
			seen[got] = true
		}
	}
}
