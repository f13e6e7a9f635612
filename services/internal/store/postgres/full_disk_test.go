package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Issue 14: a real server on a disk that is full. Its refusal is an outage and not the
// event's fault, readiness says it while queries still work, and once there is room the
// same commit takes effect, once.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	disk := testenv.SmallDisk(t, "160m")
	cluster, err := devpostgres.Start(t.Context(), devpostgres.Options{
		DataDir: filepath.Join(disk, "data"), Ephemeral: true, Settings: map[string]string{"max_wal_size": "64MB", "min_wal_size": "32MB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Stop(t.Context()) })
	url := cluster.URL("postgres")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := postgres.Provision(t.Context(), url, postgres.DevOptions()); err != nil {
		t.Fatal(err)
	}
	s := pgtest.Connect(t, postgres.Config{URL: url})
	commit := func(n int) error {
		_, err := s.Commit(t.Context(), memory.DefaultTenant, large(n), store.InboxKey{Consumer: "test", Key: fmt.Sprint("evt_", n)})
		return err
	}
	if err := errors.Join(commit(1), s.Ready(t.Context())); err != nil {
		t.Fatalf("with room: %v", err)
	}

	filler := testenv.FillDisk(t, disk)
	if err := commit(2); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrInvalid) {
		t.Fatalf("commit on a full disk: %v, want an outage", err)
	}
	for range 2 { // it stays so for as long as the disk is full
		if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "disk is full") {
			t.Errorf("ready: %v, want that the disk is full", err)
		}
	}
	if _, err := s.Scopes(t.Context(), memory.DefaultTenant); err != nil {
		t.Errorf("a query on a full disk: %v", err)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("ready with room again: %v", err)
	}
	if err := commit(2); err != nil {
		t.Errorf("the same commit with room again: %v", err)
	}
	rows, err := s.Unpublished(t.Context(), 10*eventsOfLarge)
	if err != nil || len(rows) != 2*eventsOfLarge {
		t.Errorf("%d events stored, %v; want those of two commits, once", len(rows), err)
	}
}

const eventsOfLarge = 200

// large returns a change of 1.6 MB that compression does not make smaller.
func large(n int) (set change.Set) {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range eventsOfLarge {
		text := make([]byte, 8000)
		for j := range text {
			text[j] = byte(' ' + random.IntN(90))
		}
		msg := &winnowv1.ProposalCreated{Id: fmt.Sprintf("evt_%d_%d", n, i), Scope: "project:full", Text: string(text)}
		set.Events = append(set.Events, change.Event{
			ID: msg.GetId(), Subject: event.SubjectProposalCreated, Type: event.TypeFor(event.SubjectProposalCreated), Message: msg,
		})
	}
	return set
}
