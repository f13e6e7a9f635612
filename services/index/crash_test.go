package index_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

// grep counts the occurrences of a text in the repository's history, deleted lines
// included.
func grep(t *testing.T, dir, text string) int {
	t.Helper()
	testenv.Require(t, testenv.CapabilityGit)
	out, err := exec.Command("git", "-C", dir, "log", "-p", "--all").CombinedOutput()
	if err != nil {
		t.Fatalf("git log: %v\n%s", err, out)
	}
	return strings.Count(string(out), text)
}

func (r *rig) blockWithFile(path string) {
	r.Helper()
	if err := os.MkdirAll(r.root, 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("in the way\n"), 0o644); err != nil {
		r.Fatal(err)
	}
}

// fsck checks the repository with git fsck and its history for linearity.
func (r *rig) fsck() {
	r.Helper()
	testenv.Require(r, testenv.CapabilityGit)
	dir := r.vault().Dir()
	if out, err := exec.Command("git", "-C", dir, "fsck", "--strict", "--no-dangling").CombinedOutput(); err != nil {
		r.Errorf("git fsck: %v\n%s", err, out)
	}
	if out, err := exec.Command("git", "-C", dir, "log", "--merges", "--oneline").CombinedOutput(); err != nil || len(out) > 0 {
		r.Errorf("merges: %v\n%s", err, out)
	}
	if out, err := exec.Command("git", "-C", dir, "status", "--porcelain").CombinedOutput(); err != nil || len(out) > 0 {
		r.Errorf("git status: %v\n%s", err, out)
	}
}

// stopAt makes a projector stop at a point like a killed process: from there every
// call of the store or the bus fails.
func (r *rig) stopAt(point string) context.Context {
	ctx, cancel := context.WithCancel(r.Context())
	r.Cleanup(cancel)
	r.deps.Reached = func(p worker.Point) {
		if string(p) == point {
			cancel()
		}
	}
	r.restart()
	return ctx
}

// A projector that stops between reading an edit back and rendering leaves the file
// as its author saved it. The next projector finishes, and the edit takes effect
// once.
func TestStopBetweenReadingAndRendering(t *testing.T) {
	t.Parallel()
	r := setupFleet(t, relay.Definition, triage.Definition)
	r.promote(shop, pool, redis)
	r.step()
	const added = "2026-11-19: `nginx` in deploy/front.yaml keeps 512 connections open."
	r.replace(shop, "12 connections", "16 connections")
	r.replace(shop, "- "+redis+"\n", "- "+added+"\n")
	mine := r.file(shop)
	ctx := r.stopAt(string(index.PointReadBack))
	if err := r.tryStep(ctx); err == nil {
		t.Fatal("it did not stop")
	}
	if r.file(shop) != mine {
		t.Fatalf("the file is\n%s", r.file(shop))
	}
	r.deps.Reached = nil
	r.restart()
	r.until("the edit is done", func() bool { return r.noUnread() && r.shows(shop, added) })
	if n := len(r.written(shop)); n != 1 {
		t.Errorf("%d proposals, want the added line once", n)
	}
	if gone := r.memories(shop, memory.StateArchived); len(gone) != 2 {
		t.Errorf("%d memories archived, want the old number and the removed line", len(gone))
	}
	r.fsck()
}

// After a projector that stops between rendering and acknowledging, the next one
// finds nothing to do and continues.
func TestStopBetweenRenderingAndAcknowledging(t *testing.T) {
	t.Parallel()
	r := setupFleet(t, relay.Definition)
	r.promote(shop, pool)
	ctx := r.stopAt(string(index.PointCommitted))
	runner, err := worker.Build(index.Definition, r.deps, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Run(ctx); err != nil {
		t.Fatal(err)
	}
	rendered := r.file(shop)
	if !r.shows(shop, pool) {
		t.Fatalf("the file is\n%s", rendered)
	}
	deps := r.deps
	deps.Reached = nil
	stop := r.run(index.Definition, deps)
	r.promote("project:next", redis)
	r.await("it goes on", func() bool { return r.shows("project:next", redis) })
	stop() // the file is written before the commit
	if n := len(r.log(shop)); n != 1 || r.file(shop) != rendered {
		t.Errorf("%d commits; the file is\n%s", n, r.file(shop))
	}
	r.fsck()
}

// The next projector repairs the state after a kill at any write. The driver's tests
// stop at every step; this test runs the rounds that follow.
func TestStopAfterEveryCommit(t *testing.T) {
	t.Parallel()
	r := setup(t)
	var scopes []memory.Scope
	for i := range 4 {
		scope := memory.Scope(fmt.Sprintf("project:p%d", i))
		r.promote(scope, fmt.Sprintf("Fact %d.", i))
		scopes = append(scopes, scope)
	}
	for range scopes {
		ctx := r.stopAt(string(index.PointCommitted))
		_ = r.tryStep(ctx)
	}
	r.deps.Reached = nil
	r.restart()
	r.step()
	for i, scope := range scopes {
		if !r.shows(scope, fmt.Sprintf("Fact %d.", i)) || len(r.log(scope)) != 1 {
			t.Errorf("%s has %d commits:\n%s", scope, len(r.log(scope)), r.file(scope))
		}
	}
	r.fsck()
}
