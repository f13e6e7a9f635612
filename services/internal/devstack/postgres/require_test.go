package postgres

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// withoutPrograms skips where no PostgreSQL is installed, and fails where
// WINNOW_REQUIRE says that one must be. testenv has the same rule for everybody
// else; it stands on this package, so this package cannot use it.
func withoutPrograms(t testing.TB, err error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("WINNOW_REQUIRE"), ","), "postgres") {
		t.Fatalf("postgres is required by WINNOW_REQUIRE: %v", err)
	}
	t.Skipf("no postgres: %v", err)
}
