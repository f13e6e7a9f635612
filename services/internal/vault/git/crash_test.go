package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

var errStop = errors.New("stop here")

// stopAt stops the vault before its n-th step, like a kill of the process.
func stopAt(v *Vault, n int) {
	steps := 0
	v.step = func(string) error {
		if steps++; steps > n {
			return errStop
		}
		return nil
	}
}

// crash drops the lock without a cleanup, as a dying process does, and opens the
// vault again.
func crash(t *testing.T, w *Writer) *Vault {
	t.Helper()
	if err := w.lock.Release(); err != nil {
		t.Fatal(err)
	}
	v := openVault(t, filepath.Dir(w.vault.Dir()))
	// A git command of another test may still have inherited the dropped lock,
	// and Open waits only for a limited time.
	if err := lock(t, v).Unlock(); err != nil {
		t.Fatal(err)
	}
	return v
}

// everyStep runs f with 0, 1, 2 … until f reports that nothing stopped it.
func everyStep(t *testing.T, f func(t *testing.T, n int) (done bool)) {
	t.Helper()
	for n, done := 0, false; !done; n++ {
		if n > 100 || t.Failed() {
			t.Fatalf("given up at step %d", n)
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) { done = f(t, n) })
	}
}

const memoryPath = "project/billing/MEMORY.md"

// three returns a change that replaces a file, creates one and removes one.
func three() (before, after vault.Change) {
	before = change(billing, 1, map[string]string{"MEMORY.md": "- old\n", "topics/going.md": "- going\n"})
	after = change(billing, 2, map[string]string{"MEMORY.md": "- new\n", "topics/coming.md": "- coming\n"})
	after.Files["topics/going.md"] = nil
	return before, after
}

// SPEC §13, §16.1: after a kill at any step the vault has the old files or the
// new ones, and the next writer completes or reverts the write.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	before, after := three()
	everyStep(t, func(t *testing.T, n int) bool {
		v := openVault(t, t.TempDir())
		w := lock(t, v)
		commit(t, w, before)
		stopAt(v, n)
		_, _, failed := w.Commit(after)
		if failed != nil && !errors.Is(failed, errStop) {
			t.Fatal(failed)
		}
		if got := onDisk(t, v, memoryPath); got != "- old\n" && got != "- new\n" {
			t.Errorf("torn file: %q", got)
		}

		v = crash(t, w)
		healthy(t, v)
		w = lock(t, v)
		if edits, err := w.HandEdits(monday, billing); err != nil || len(edits) != 0 {
			t.Errorf("our own state taken for hand edits: %+v, %v", edits, err)
		}
		if _, _, err := w.Commit(after); err != nil {
			t.Error(err)
		}
		healthy(t, v)
		if got := onDisk(t, v, memoryPath) + onDisk(t, v, "project/billing/topics/coming.md") + onDisk(t, v, "project/billing/topics/going.md"); got != "- new\n- coming\n" {
			t.Errorf("files: %q", got)
		}
		if entries, err := v.Log(billing, 0); err != nil || len(entries) != 2 {
			t.Errorf("log: %+v, %v", entries, err)
		}
		return failed == nil
	})
}

// The same holds for the first commit of a vault, and for the commit of a hand
// edit.
func TestKilledAtEveryStepOfOtherWrites(t *testing.T) {
	t.Parallel()
	t.Run("first", func(t *testing.T) {
		t.Parallel()
		first := change(billing, 1, map[string]string{"MEMORY.md": "- one\n"})
		everyStep(t, func(t *testing.T, n int) bool {
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			stopAt(v, n)
			_, _, failed := w.Commit(first)
			v = crash(t, w)
			w = lock(t, v)
			if edits, err := w.HandEdits(monday, billing); err != nil || len(edits) != 0 {
				t.Errorf("our own state taken for hand edits: %+v, %v", edits, err)
			}
			if _, _, err := w.Commit(first); err != nil {
				t.Error(err)
			}
			healthy(t, v)
			return failed == nil
		})
	})
	t.Run("hand", func(t *testing.T) {
		t.Parallel()
		everyStep(t, func(t *testing.T, n int) bool {
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
			put(t, v, memoryPath, "- mine\n")
			stopAt(v, n)
			_, failed := w.HandEdits(monday, billing)
			v = crash(t, w)
			w = lock(t, v)
			edits, err := w.HandEdits(monday, billing)
			if err != nil || len(edits) != 1 || string(edits[0].Before) != "- one\n" || string(edits[0].After) != "- mine\n" {
				t.Errorf("edits: %+v, %v", edits, err)
			}
			healthy(t, v)
			return failed == nil
		})
	})
}

// saves lists the ways in which programs write a file.
var saves = map[string]func(t *testing.T, v *Vault, name, text string){
	"over": func(t *testing.T, v *Vault, name, text string) { put(t, v, name, text) },
	"renamed": func(t *testing.T, v *Vault, name, text string) {
		put(t, v, "draft~", text)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(v.Dir(), name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(v.Dir(), "draft~"), filepath.Join(v.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	},
	"removed": func(t *testing.T, v *Vault, name, _ string) {
		if err := os.Remove(filepath.Join(v.Dir(), name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	},
}

// An edit that is saved while the writer is dead stays in the file, and is read
// as an edit of the version that the person saw.
func TestEditAfterEveryKill(t *testing.T) {
	t.Parallel()
	before, after := three()
	names := []string{"MEMORY.md", "topics/coming.md", "topics/going.md"}
	for how, save := range saves {
		for _, name := range names {
			t.Run(how+" "+filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				everyStep(t, func(t *testing.T, n int) bool {
					v := openVault(t, t.TempDir())
					w := lock(t, v)
					commit(t, w, before)
					stopAt(v, n)
					_, _, failed := w.Commit(after)
					path := "project/billing/" + name
					seen := onDisk(t, v, path)
					save(t, v, path, "- mine\n")
					saved := onDisk(t, v, path)

					v = crash(t, w)
					w = lock(t, v)
					if got := onDisk(t, v, path); got != saved && saved != seen {
						t.Errorf("recovery made %q of %q", got, saved)
					}
					if saved != seen {
						wantEdit(t, w, name, seen, saved)
					}
					if _, _, err := w.Commit(after); err != nil {
						t.Error(err)
					}
					tidy(t, v)
					return failed == nil
				})
			})
		}
	}
}

// wantEdit expects an edit of one file and of no other.
func wantEdit(t *testing.T, w *Writer, name, before, after string) {
	t.Helper()
	edits, err := w.HandEdits(monday, billing)
	if err != nil || len(edits) != 1 || edits[0].File != name || string(edits[0].Before) != before || string(edits[0].After) != after {
		t.Errorf("want %s: %q → %q, have %v", name, before, after, err)
		for _, e := range edits {
			t.Errorf("\t%s: %q → %q", e.File, e.Before, e.After)
		}
	}
}

// SPEC §13: an edit between any two steps of a living writer is either an edit
// of the new text, or stops the write.
func TestEditAtEveryStep(t *testing.T) {
	t.Parallel()
	before, after := three()
	names := []string{"MEMORY.md", "topics/coming.md", "topics/going.md"}
	for how, save := range saves {
		for _, name := range names {
			t.Run(how+" "+filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				everyStep(t, func(t *testing.T, n int) bool {
					v := openVault(t, t.TempDir())
					w := lock(t, v)
					commit(t, w, before)
					path, steps, changed := "project/billing/"+name, 0, false
					var saved string
					v.step = func(string) error {
						if steps == n {
							seen := onDisk(t, v, path)
							save(t, v, path, "- mine\n")
							saved = onDisk(t, v, path)
							changed = saved != seen
						}
						steps++
						return nil
					}
					_, committed, err := w.Commit(after)
					if err != nil && !errors.Is(err, vault.ErrDirty) || err == nil && !committed {
						t.Fatalf("commit: %v, committed %v", err, committed)
					}
					if got := onDisk(t, v, path); changed && got != saved {
						t.Fatalf("%q instead of the person's %q", got, saved)
					}
					edits, err := w.HandEdits(monday, billing)
					if err != nil {
						t.Fatal(err)
					}
					found := slices.ContainsFunc(edits, func(e vault.HandEdit) bool { return e.File == name && string(e.After) == saved })
					if changed && !found {
						t.Errorf("the edit is lost: %+v", edits)
					}
					if _, _, err := w.Commit(after); err != nil {
						t.Error(err)
					}
					tidy(t, v)
					return steps < n
				})
			})
		}
	}
}

// A crash in one scope does not affect another scope of the vault.
func TestRecoveryLeavesOtherScopesAlone(t *testing.T) {
	t.Parallel()
	before, after := three()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	commit(t, w, before)
	other := change(memory.Scope("user:ada"), 1, map[string]string{"MEMORY.md": "- ada\n"})
	commit(t, w, other)
	stopAt(v, 5)
	if _, _, err := w.Commit(after); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	put(t, v, "user/ada/MEMORY.md", "- ada herself\n")
	v = crash(t, w)
	w = lock(t, v)
	edits, err := w.HandEdits(monday)
	if err != nil || len(edits) != 1 || edits[0].Scope != "user:ada" || string(edits[0].After) != "- ada herself\n" {
		t.Errorf("edits: %+v, %v", edits, err)
	}
	tidy(t, v)
}

// A garbage collection by git may remove objects of a killed writer that no
// branch refers to. The next writer copes with that.
func TestGarbageCollectionAfterEveryKill(t *testing.T) {
	t.Parallel()
	before, after := three()
	everyStep(t, func(t *testing.T, n int) bool {
		v := openVault(t, t.TempDir())
		w := lock(t, v)
		commit(t, w, before)
		stopAt(v, n)
		_, _, failed := w.Commit(after)
		gitCLI(t, v, "prune", "--expire=now")
		v = crash(t, w)
		healthy(t, v)
		w = lock(t, v)
		if edits, err := w.HandEdits(monday, billing); err != nil || len(edits) != 0 {
			t.Errorf("our own state taken for hand edits: %+v, %v", edits, err)
		}
		if _, _, err := w.Commit(after); err != nil {
			t.Error(err)
		}
		healthy(t, v)
		return failed == nil
	})
}
