package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// Every condition that a person can repair is an error with a remedy, and
// nothing is written before the repair.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(t *testing.T, v *Vault)
		want   error
		remedy string
	}{
		"detached HEAD": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "checkout", "--detach")
		}, vault.ErrDetached, "git switch"},
		"merge with conflict": {func(t *testing.T, v *Vault) {
			conflict(t, v, "merge", "side")
		}, vault.ErrUnfinished, "git merge --abort"},
		"rebase with conflict": {func(t *testing.T, v *Vault) {
			conflict(t, v, "rebase", "side")
		}, vault.ErrUnfinished, "git rebase --abort"},
		"cherry-pick with conflict": {func(t *testing.T, v *Vault) {
			conflict(t, v, "cherry-pick", "side")
		}, vault.ErrUnfinished, "git cherry-pick --abort"},
		"stash with conflict": {func(t *testing.T, v *Vault) {
			put(t, v, memoryPath, "- stashed\n")
			gitCLI(t, v, "stash")
			put(t, v, memoryPath, "- theirs\n")
			gitCLI(t, v, "commit", "-am", "theirs")
			if out, err := tryGit(v, "stash", "pop"); err == nil {
				t.Fatalf("no conflict: %s", out)
			}
		}, vault.ErrUnfinished, "git add"},
		"bare by its configuration": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "config", "core.bare", "true")
		}, vault.ErrBare, "core.bare false"},
		"bare by its layout": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "clone", "--bare", ".", filepath.Join(filepath.Dir(v.Dir()), "bare"))
			replaceDir(t, v, "bare")
		}, vault.ErrBare, "--bare"},
		"files without a repository": {func(t *testing.T, v *Vault) {
			if err := os.RemoveAll(filepath.Join(v.Dir(), ".git")); err != nil {
				t.Fatal(err)
			}
		}, vault.ErrNotRepository, "git init"},
		"work tree of another repository": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "worktree", "add", "-b", "side", filepath.Join(filepath.Dir(v.Dir()), "linked"))
			if err := os.Rename(filepath.Join(filepath.Dir(v.Dir()), "linked", ".git"), filepath.Join(v.Dir(), "link")); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(v.Dir(), ".git")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(v.Dir(), "link"), filepath.Join(v.Dir(), ".git")); err != nil {
				t.Fatal(err)
			}
		}, vault.ErrUnsupported, "of its own"},
		"SHA-256": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "init", "--object-format=sha256", filepath.Join(filepath.Dir(v.Dir()), "sha256"))
			replaceDir(t, v, "sha256")
		}, vault.ErrUnsupported, "SHA-1"},
		"broken configuration": {func(t *testing.T, v *Vault) {
			put(t, v, ".git/config", "[core\n")
		}, vault.ErrUnsupported, ""},
		"split index": {func(t *testing.T, v *Vault) {
			gitCLI(t, v, "update-index", "--split-index")
		}, vault.ErrUnsupported, "splitIndex"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			v := openVault(t, root)
			w := lock(t, v)
			commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
			c.spoil(t, v)
			if _, _, err := w.Commit(change(billing, 2, map[string]string{"MEMORY.md": "- two\n"})); err == nil {
				t.Error("committed all the same")
			}
			w.Unlock()
			_, err := Open(root, memory.DefaultTenant, Options{})
			var problem *vault.Problem
			if !errors.Is(err, c.want) || !errors.As(err, &problem) || !strings.Contains(problem.Remedy, c.remedy) {
				t.Errorf("open: %v, want %v", err, c.want)
			}
		})
	}
}

// conflict creates branches that both change the file, and runs a command that
// fails on the conflict.
func conflict(t *testing.T, v *Vault, command, branch string) {
	t.Helper()
	gitCLI(t, v, "switch", "-c", branch)
	put(t, v, memoryPath, "- theirs\n")
	gitCLI(t, v, "commit", "-am", "theirs")
	gitCLI(t, v, "switch", "main")
	put(t, v, memoryPath, "- mine\n")
	gitCLI(t, v, "commit", "-am", "mine")
	if out, err := tryGit(v, command, branch); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
}

// replaceDir moves another folder to the vault's path.
func replaceDir(t *testing.T, v *Vault, name string) {
	t.Helper()
	if err := os.RemoveAll(v.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(filepath.Dir(v.Dir()), name), v.Dir()); err != nil {
		t.Fatal(err)
	}
}

// Root can write everywhere, so the test checks the mapping of the system's
// errors. A file in the place of a folder fails for every user.
func TestOpenWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var problem *vault.Problem
	if _, err := Open(file, memory.DefaultTenant, Options{}); !errors.Is(err, vault.ErrReadOnly) || !errors.As(err, &problem) || problem.Remedy == "" {
		t.Errorf("below a file: %v", err)
	}
	for _, errno := range []error{syscall.EROFS, syscall.EACCES, syscall.EPERM} {
		err := explain("/vault", &os.PathError{Op: "open", Path: "/vault/x", Err: errno})
		if !errors.Is(err, vault.ErrReadOnly) || !errors.Is(err, errno) || !errors.As(err, &problem) || problem.Remedy == "" {
			t.Errorf("%v: %v", errno, err)
		}
	}
}

// An unborn branch, a person's own branch, packed objects and references, and
// the newest index format are all supported.
func TestOpenTakesPeoplesRepositories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	gitCLI(t, v, "switch", "-c", "Ada/own")
	gitCLI(t, v, "config", "index.version", "4")
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	healthy(t, v)
	gitCLI(t, v, "gc", "--prune=now")
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	healthy(t, v)
	put(t, v, "README", "mine\n")
	gitCLI(t, v, "add", "README")
	gitCLI(t, v, "update-index", "--index-version", "4")
	commit(t, w, change(billing, 3, map[string]string{"MEMORY.md": "- three\n"}))
	if got := gitCLI(t, v, "status", "--porcelain"); got != "A  README\n" {
		t.Errorf("what a person staged: %q", got)
	}
	if got := gitCLI(t, v, "log", "--format=%s", "--", "README"); got != "" {
		t.Errorf("committed by us: %q", got)
	}
	if got := gitCLI(t, v, "rev-parse", "--abbrev-ref", "HEAD"); got != "Ada/own\n" {
		t.Errorf("branch %q", got)
	}
}

// Two writers never interleave, in one process or in two.
func TestLockExcludes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	w := lock(t, v)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openVault(t, root).hold(ended); !errors.Is(err, vault.ErrLocked) || !errors.Is(err, context.Canceled) {
		t.Errorf("second writer: %v", err)
	}
	if _, err := v.Log("", 0); err != nil { // readers need no lock
		t.Error(err)
	}
	for range 2 {
		if err := w.Unlock(); err != nil {
			t.Error(err)
		}
	}
	lock(t, openVault(t, root))
}

// A lock of a person's git is waited for and never removed; a lock left by a
// killed writer is removed.
func TestGitLocks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git/index.lock", ".git/refs/heads/main.lock"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
			put(t, v, name, "")
			next := change(billing, 2, map[string]string{"MEMORY.md": "- two\n"})
			_, _, err := w.Commit(next)
			var problem *vault.Problem
			if !errors.Is(err, vault.ErrBusy) || !errors.As(err, &problem) || filepath.Base(problem.Path) != filepath.Base(name) {
				t.Errorf("while git works: %v", err)
			}
			if got := onDisk(t, v, memoryPath); got != "- one\n" {
				t.Errorf("file %q", got)
			}
			if err := os.Remove(filepath.Join(v.Dir(), name)); err != nil {
				t.Fatal(err)
			}
			commit(t, w, next)
			healthy(t, v)
		})
	}
}

// Each tenant has its own folder, for any name.
func TestTenants(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, tenant := range []memory.Tenant{"acme", "Acme", "..", ".git", "a/b", memory.SystemTenant} {
		v, err := Open(root, tenant, Options{Branch: "memory"})
		if err != nil {
			t.Fatalf("%q: %v", tenant, err)
		}
		if filepath.Dir(v.Dir()) != root {
			t.Errorf("%q lies in %s", tenant, v.Dir())
		}
		w := lock(t, v)
		commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- " + string(tenant) + "\n"}))
		w.Unlock()
	}
	if _, err := Open(root, "", Options{}); err == nil {
		t.Error("a vault without a tenant")
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 6 {
		t.Errorf("%d folders, %v", len(entries), err)
	}
}
