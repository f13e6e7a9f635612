package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// childVariable turns the test binary into a writer on the vault root in its
// value.
const childVariable = "WINNOW_TEST_VAULT_CHILD"

// runChild commits one version after another until it is killed, and prints each
// version before its commit.
func runChild() int {
	v, err := Open(os.Getenv(childVariable), memory.DefaultTenant, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	w, err := v.hold(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	last, _, _, err := v.Last(billing)
	for n := last.Version + 1; err == nil; n++ {
		fmt.Println(n)
		edits, failed := w.HandEdits(monday, billing)
		for _, e := range edits {
			fmt.Println("edit", e.Commit)
		}
		if err = failed; err == nil {
			_, _, err = w.Commit(versioned(n))
		}
		if errors.Is(err, vault.ErrDirty) {
			err = nil
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// versioned alternates between files, so that every kind of step occurs.
func versioned(n int64) vault.Change {
	c := change(billing, n, map[string]string{"MEMORY.md": fmt.Sprintf("- version %d\n", n)})
	c.Files["topics/notes.md"] = nil
	if n%2 == 0 {
		c.Files["topics/notes.md"] = []byte("- even\n")
	}
	return c
}

// SPEC §13: repeated SIGKILLs of a writer leave a history without gaps and no
// hand edit made by the writer itself.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 25 {
		killChild(t, self, root)
		v := openVault(t, root)
		w := lock(t, v)
		healthy(t, v)
		if edits, err := w.HandEdits(monday, billing); err != nil || len(edits) != 0 {
			t.Fatalf("our own state taken for hand edits: %+v, %v", edits, err)
		}
		last, _, ok, err := v.Last(billing)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("- version %d\n", last.Version); ok && onDisk(t, v, memoryPath) != want {
			t.Fatalf("file %q, want %q", onDisk(t, v, memoryPath), want)
		}
		if err := w.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	v := openVault(t, root)
	entries, err := v.Log(billing, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if want := int64(len(entries) - i); e.Hand || e.Trailer.Version != want {
			t.Fatalf("entry %d: %+v, want version %d", i, e, want)
		}
	}
	t.Logf("%d commits in 25 lives", len(entries))
}

// killChild starts a writer, waits for a few commits and kills it at a random
// instant.
func killChild(t *testing.T, self, root string) {
	t.Helper()
	child := exec.Command(self)
	child.Env = append(os.Environ(), childVariable+"="+root)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	// The second line shows that the first commit exists, which git requires.
	for range 2 + rand.IntN(4) {
		if !lines.Scan() {
			t.Error("the child ended by itself")
		}
	}
	// A step is some tens of microseconds: spin for a random part of a commit.
	sink := filepath.Join(t.TempDir(), "sink")
	for range rand.IntN(40) {
		if err := os.WriteFile(sink, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("the child was not killed")
	}
}
