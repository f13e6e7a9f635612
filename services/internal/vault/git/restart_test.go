package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// SPEC §7: after a restart no object of the repository has what the files said before, and
// everything else is as it was: files, trailers, settings, the way back of hand edits. A
// process that has the vault open goes on.
func TestRestartLeavesNoHistory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v, reader := openVault(t, root), openVault(t, root)
	w := lock(t, v)
	const shop = memory.Scope("project:shop")
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "# Billing\n- quokka7301\n- stays\n"}))
	commit(t, w, change(shop, 2, map[string]string{"MEMORY.md": "# Shop\n"}))
	commit(t, w, change(billing, 3, map[string]string{"MEMORY.md": "# Billing\n- stays\n"}))
	gitCLI(t, v, "config", "remote.origin.url", "https://git.example/vault.git")
	if _, _, _, err := reader.Last(billing); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(gitCLI(t, v, "cat-file", "--batch-all-objects", "--batch"), "quokka7301") {
		t.Fatal("the history has nothing to lose")
	}
	if err := w.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := w.Unlock(); err != nil {
		t.Fatal(err)
	}
	if out := gitCLI(t, v, "cat-file", "--batch-all-objects", "--batch"); strings.Contains(out, "quokka7301") || !strings.Contains(out, "stays") {
		t.Errorf("the repository says\n%s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(root, oldPrefix+"*")); len(left) > 0 {
		t.Errorf("left beside the vault: %v", left)
	}
	if url := gitCLI(t, v, "config", "remote.origin.url"); !strings.Contains(url, "vault.git") {
		t.Errorf("the remote is %q", url)
	}
	healthy(t, v)
	for _, who := range []*Vault{v, reader} {
		if last, _, ok, err := who.Last(billing); err != nil || !ok || last.Version != 3 {
			t.Errorf("the last rendering is %+v, %v, %v", last, ok, err)
		}
	}
	// The other process commits and reads hand edits as before.
	again := lock(t, reader)
	put(t, reader, scopeDir(billing)+"/MEMORY.md", "# Billing\n- stays\n- mine\n")
	wantEdits(t, again, billing, brief([]vault.HandEdit{{Author: "hand", Scope: billing, File: "MEMORY.md", Before: []byte("# Billing\n- stays\n"), After: []byte("# Billing\n- stays\n- mine\n")}})...)
	commit(t, again, change(billing, 4, map[string]string{"MEMORY.md": "# Billing\n- mine\n"}))
	healthy(t, reader)
}

// A hand edit that nobody has read is never lost to a restart, on disk or committed.
func TestRestartRefusesUnreadEdits(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(v *Vault){
		"on disk": func(v *Vault) { put(t, v, scopeDir(billing)+"/MEMORY.md", "mine\n") },
		"committed": func(v *Vault) {
			put(t, v, scopeDir(billing)+"/MEMORY.md", "mine\n")
			gitCLI(t, v, "commit", "-qam", "mine")
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "ours\n"}))
			before := gitCLI(t, v, "rev-parse", "HEAD")
			edit(v)
			if err := w.Restart(); !errors.Is(err, vault.ErrDirty) {
				t.Fatalf("restart: %v", err)
			}
			if out := gitCLI(t, v, "log", "--format=%H"); !strings.Contains(out, strings.TrimSpace(before)) {
				t.Errorf("the history is gone: %s", out)
			}
			if onDisk(t, v, scopeDir(billing)+"/MEMORY.md") != "mine\n" {
				t.Error("the edit is gone")
			}
		})
	}
}

// What a killed restart left beside the vault, which may be the old history, is removed by
// the next one.
func TestRestartRemovesWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "ours\n"}))
	left := filepath.Join(root, oldPrefix+filepath.Base(v.Dir()))
	if err := os.MkdirAll(filepath.Join(left, gitDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, gitDir, "packed"), []byte("quokka7301"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", left, err)
	}
	healthy(t, v)
}
