package workertest

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/testenv"
)

// openStore is a migrated and provisioned database of the test's own.
func openStore(t testing.TB) store.Store {
	t.Helper()
	return OpenStore(t, testenv.EmptyDatabase(t))
}

// OpenStore migrates and provisions the database at a URL and opens it; it is
// closed with the test.
func OpenStore(t testing.TB, url string) store.Store {
	t.Helper()
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatalf("workertest: %v", err)
	}
	if err := postgres.Provision(t.Context(), url, postgres.DevOptions()); err != nil {
		t.Fatalf("workertest: %v", err)
	}
	s, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	if err != nil {
		t.Fatalf("workertest: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}
