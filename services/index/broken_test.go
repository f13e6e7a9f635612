package index_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vault"
	opsvault "github.com/winnowhq/winnow/services/ops/vault"
)

const other = memory.Scope("project:other")

// statusOf returns the scope's entry of winnow vault status.
func (r *rig) statusOf(scope memory.Scope) opsvault.Scope {
	r.Helper()
	list, err := opsvault.New(r.store, r.vault(), tenant, nil, index.Layout.Of(r.deps).Vault.Lines, r.deps.Now).Status(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	for _, s := range list {
		if s.Scope == string(scope) {
			return s
		}
	}
	r.Fatalf("status does not know %s", scope)
	return opsvault.Scope{}
}

// A file that cannot be parsed is left unchanged, reported with the remedy and
// counted, and other scopes continue. After a repair it is read without a restart and
// compared with its content before the damage.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(file string) string
		says  string
	}{
		"five megabytes": {func(f string) string { return f + strings.Repeat("- one more line of the shop\n", 200_000) }, "shorten it"},
		"front matter":   {func(f string) string { return "---\npaths: [src\nname: x\n---\n" + f }, "front matter"},
		"conflict": {func(f string) string {
			return strings.Replace(f, "- "+redis+"\n", "<<<<<<< HEAD\n- "+redis+"\n=======\n- something else\n>>>>>>> theirs\n", 1)
		}, "merge conflict marker"},
		"not UTF-8":      {func(f string) string { return f + "- caf\xe9\n" }, "UTF-8"},
		"one long entry": {func(f string) string { return f + "- " + strings.Repeat("long ", 5000) + "\n" }, "an entry of 25 KiB, at most 16; shorten it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			r.promote(shop, pool, redis, invoice)
			r.step()
			good := r.file(shop)
			spoilt := c.spoil(good)
			r.save(shop, spoilt)
			r.promote(shop, "The shop opened in 2019.")
			r.promote(other, pool)
			for range 2 {
				r.step()
			}
			if r.file(shop) != spoilt {
				t.Fatalf("it was written over:\n%.2000s", r.file(shop))
			}
			if !r.shows(other, pool) {
				t.Error("the other scope does not go on")
			}
			if r.counter("winnow_vault_failures_total") == 0 {
				t.Error("nothing was counted")
			}
			s := r.statusOf(shop)
			if !strings.Contains(s.Problem, c.says) {
				t.Errorf("status: unread %v, problem %q, want one with %q", s.Unread, s.Problem, c.says)
			}
			// The repaired file also contains a correction.
			r.save(shop, strings.Replace(good, "12 connections", "16 connections", 1))
			r.until("it heals", func() bool { return r.noUnread() && r.shows(shop, "The shop opened in 2019.") })
			want := "- The shop opened in 2019.\n"
			if in := r.texts(shop); !strings.Contains(in, want) || !strings.Contains(in, "16 connections") || strings.Count(in, "\n") != 4 {
				t.Errorf("in service:\n%s", in)
			}
			if s := r.statusOf(shop); s.Problem != "" || !s.Current || len(s.Unread) > 0 {
				t.Errorf("status after: %+v", s)
			}
		})
	}
}

// A folder that is no vault is left unchanged and reported. When the obstacle is
// removed, everything is rendered without a restart.
func TestFolderIsNoVault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil, mend func(t *testing.T, dir string)
		says        string
	}{
		"plain folder": {func(t *testing.T, dir string) {
			must(t, os.MkdirAll(dir, 0o755))
			must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("mine\n"), 0o644))
		}, func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "thesis.txt"))) }, "not a git repository"},
		"file in its place": {func(t *testing.T, dir string) {
			must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
			must(t, os.WriteFile(dir, []byte("in the way\n"), 0o644))
		}, func(t *testing.T, dir string) { must(t, os.Remove(dir)) }, "a file stands where a folder belongs"},
		"merge under way": {func(t *testing.T, dir string) {
			testenv.Require(t, testenv.CapabilityGit)
			if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			must(t, os.WriteFile(filepath.Join(dir, ".git", "MERGE_HEAD"), []byte(strings.Repeat("1", 40)+"\n"), 0o644))
		}, func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, ".git", "MERGE_HEAD"))) }, "git merge --abort"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			dir := filepath.Join(r.root, string(tenant))
			c.spoil(t, dir)
			r.promote(shop, pool)
			if err := r.tryStep(t.Context()); err == nil || r.counter("winnow_vault_failures_total") == 0 {
				t.Errorf("nothing was wrong: %v", err)
			}
			if _, err := r.deps.Vault(tenant); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("opening says %v, want %q", err, c.says)
			}
			c.mend(t, dir)
			r.await("it heals", func() bool { return r.tryStep(t.Context()) == nil && r.shows(shop, pool) })
		})
	}
}

// A vault without write permission is reported, and written when it has the
// permission.
func TestReadOnlyVault(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		testenv.Skip(t, "unprivileged", "root writes into folders that are closed to writing")
	}
	r := setup(t)
	r.promote(shop, pool)
	r.step()
	own := filepath.Join(r.vault().Dir(), ".git")
	must(t, exec.Command("chmod", "-R", "a-w", own).Run())
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", own).Run() })
	r.promote(shop, redis)
	if err := r.tryStep(t.Context()); err == nil {
		t.Error("nothing was wrong")
	}
	must(t, exec.Command("chmod", "-R", "u+w", own).Run())
	r.await("it heals", func() bool { return r.tryStep(t.Context()) == nil && r.shows(shop, redis) })
}

// When a person moves the branch back by mistake, everything is rendered again.
func TestBranchMovedBack(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityGit)
	r := setup(t)
	r.promote(shop, pool)
	r.step()
	r.promote(shop, redis)
	r.step()
	if out, err := exec.Command("git", "-C", r.vault().Dir(), "reset", "-q", "--hard", "HEAD~1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.step()
	if !r.shows(shop, redis) || len(r.memories(shop, memory.StateArchived)) > 0 {
		t.Errorf("the file is\n%s", r.file(shop))
	}
	r.fsck()
}

// Other files in the vault's folder belong to its owner and are not changed.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.promote(shop, pool)
	r.step()
	notes := filepath.Join(r.vault().Path(shop), "notes.txt")
	must(t, os.WriteFile(notes, []byte("mine\n"), 0o644))
	r.promote(shop, redis)
	r.step()
	if data, err := os.ReadFile(notes); err != nil || string(data) != "mine\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(r.vault().Path(shop), vault.MemoryFile)); err != nil {
		t.Error(err)
	}
	r.idleStep()
}
