package index_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vault/git"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// Variables that make the test binary a replica: the database and the folder.
const (
	replicaDatabase = "WINNOW_TEST_REPLICA_DATABASE"
	replicaFolder   = "WINNOW_TEST_REPLICA_FOLDER"
)

// TestReplica runs a projector in a separate process, which the parent test kills. It
// prints a line for every commit.
func TestReplica(t *testing.T) {
	url, root := os.Getenv(replicaDatabase), os.Getenv(replicaFolder)
	if url == "" {
		t.Skip("does something only in a process started by another test")
	}
	deps := workertest.Deps(t, natstest.New(t), pgtest.Connect(t, postgres.Config{URL: url, Worker: "index"}))
	deps.Source = func(bus.Durable) (bus.Source, error) { return nil, nil }
	deps.Vault = func(tenant memory.Tenant) (vault.Vault, error) { return git.Open(root, tenant, git.Options{}) }
	projector := index.NewVaultProjector(deps)
	for seen := 0; ; {
		if err := index.Step(t.Context(), projector); err != nil {
			t.Log(err)
		}
		for n := counterOf(t, deps, "winnow_vault_commits_total"); seen < n; seen++ {
			fmt.Println("rendered")
		}
	}
}

// replica starts such a process. rendered counts its commits.
func (r *rig) replica() (kill func(), rendered *atomic.Int64) {
	r.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReplica$")
	cmd.Env = append(os.Environ(), replicaDatabase+"="+r.db.URL, replicaFolder+"="+r.root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	rendered = &atomic.Int64{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == "rendered" {
				rendered.Add(1)
			}
		}
	}()
	kill = func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	}
	return kill, rendered
}

// SPEC §13, "one writer by lease": two replicas on one folder and one database under
// load never interleave. When SIGKILL ends one at any point, the other continues.
func TestReplicas(t *testing.T) {
	t.Parallel()
	r := setup(t)
	load, cancel := context.WithCancel(t.Context())
	wrote := make(chan int)
	scopes := []memory.Scope{"project:a", "project:b", "project:c"}
	go func() {
		n := 0
		for ; load.Err() == nil; n++ {
			set, _ := promoted(scopes[n%len(scopes)], memory.KindFact, "Notes", fmt.Sprintf("Fact %d.", n))
			if _, err := r.store.Commit(t.Context(), tenant, set, store.InboxKey{}); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Millisecond) // the rate of the load; no check depends on it
		}
		wrote <- n
	}()
	stepping, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for stepping.Err() == nil {
			if err := index.Step(stepping, r.vaults); err != nil && stepping.Err() == nil && !interrupted(err) {
				t.Error(err)
			}
		}
	}()
	for range 3 {
		kill, theirs := r.replica()
		mine := r.counter("winnow_vault_commits_total")
		r.await("both replicas have rendered", func() bool {
			return theirs.Load() > 0 && r.counter("winnow_vault_commits_total") > mine
		})
		kill()
		after := r.counter("winnow_vault_commits_total")
		r.await("the survivor goes on", func() bool { return r.counter("winnow_vault_commits_total") > after })
	}
	cancel()
	n := <-wrote
	// The load has ended, so the last trailers count everything.
	for _, scope := range scopes {
		r.promote(scope, "The end.")
		r.await("everything is shown", func() bool { return r.shows(scope, "The end.") })
	}
	stop()
	<-stopped
	r.fsck()
	total := 0
	for _, scope := range scopes {
		total += len(r.memories(scope, memory.StateActive))
		r.checkHistory(scope, len(r.memories(scope, memory.StateActive)))
	}
	if total != n+len(scopes) {
		t.Errorf("%d memories, want %d", total, n+len(scopes))
	}
	left, err := filepath.Glob(filepath.Join(r.vault().Dir(), ".git", "winnow", "temp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
