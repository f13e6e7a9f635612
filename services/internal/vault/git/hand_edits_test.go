package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// brief formats edits in short, oldest first.
func brief(edits []vault.HandEdit) (lines []string) {
	for _, e := range edits {
		line := fmt.Sprintf("%s %s %s: %q → %q", e.Author, e.Scope, e.File, e.Before, e.After)
		if e.Err != nil {
			line = fmt.Sprintf("%s %s %s: %v", e.Author, e.Scope, e.File, e.Err)
		}
		lines = append(lines, line)
	}
	return lines
}

func wantEdits(t *testing.T, w *Writer, scope memory.Scope, want ...string) []vault.HandEdit {
	t.Helper()
	edits, err := w.HandEdits(monday, scope)
	if got := brief(edits); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("edits:\n%s\n%v\nwant:\n%s", strings.Join(got, "\n"), err, strings.Join(want, "\n"))
	}
	return edits
}

// SPEC §13: HandEdits returns changes on disk and commits by people, each commit
// separately and oldest first, until the next rendering.
func TestHandEdits(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	put(t, v, memoryPath, "- before all\n")
	wantEdits(t, w, billing, `hand project:billing MEMORY.md: "" → "- before all\n"`)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n", "topics/notes.md": "- n\n"}))
	wantEdits(t, w, billing)

	put(t, v, memoryPath, "- ada\n")
	gitCLI(t, v, "commit", "-am", "my own words")
	put(t, v, memoryPath, "- ada again\n")
	put(t, v, "project/billing/topics/plans.md", "- plan\n")
	if err := os.Remove(filepath.Join(v.Dir(), "project/billing/topics/notes.md")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Ada project:billing MEMORY.md: "- one\n" → "- ada\n"`,
		`hand project:billing MEMORY.md: "- ada\n" → "- ada again\n"`,
		`hand project:billing topics/notes.md: "- n\n" → ""`,
		`hand project:billing topics/plans.md: "" → "- plan\n"`,
	}
	edits := wantEdits(t, w, billing, want...)
	if edits[2].After != nil || edits[3].Before != nil || edits[1].Commit != edits[3].Commit || !edits[1].At.Equal(monday) {
		t.Errorf("edits: %+v", edits)
	}
	wantEdits(t, w, billing, want...)
	healthy(t, v)
	if got := gitCLI(t, v, "log", "-1", "--format=%an <%ae>%n%B"); got != "hand <hand@localhost>\nhand edit\n\nproject:billing: MEMORY.md, topics/notes.md, topics/plans.md\n\n" {
		t.Errorf("log: %s", got)
	}
	entries, err := v.Log(billing, 2)
	if err != nil || len(entries) != 2 || !entries[0].Hand || entries[0].Subject != "hand edit" || entries[1].Author != "Ada" || !entries[1].Hand {
		t.Errorf("log: %+v, %v", entries, err)
	}
	if trailer, _, ok, err := v.Last(billing); err != nil || !ok || trailer.Version != 1 {
		t.Errorf("last: %+v %v %v", trailer, ok, err)
	}
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	wantEdits(t, w, billing)
}

// A rendering that people only rebased stays a rendering; one that they changed
// is a hand edit.
func TestRewrittenRenderings(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	gitCLI(t, v, "commit", "--allow-empty", "-m", "root")
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	gitCLI(t, v, "switch", "-c", "side", "HEAD~2")
	gitCLI(t, v, "commit", "--allow-empty", "-m", "pulled")
	gitCLI(t, v, "switch", "main")
	gitCLI(t, v, "rebase", "side")
	if trailer, _, ok, err := v.Last(billing); err != nil || !ok || trailer.Version != 2 {
		t.Errorf("last after a rebase: %+v %v %v", trailer, ok, err)
	}
	wantEdits(t, w, billing)

	put(t, v, memoryPath, "- two, says Ada\n")
	gitCLI(t, v, "commit", "-q", "--all", "--amend", "--no-edit")
	wantEdits(t, w, billing, `Ada project:billing MEMORY.md: "- one\n" → "- two, says Ada\n"`)
	if trailer, _, ok, err := v.Last(billing); err != nil || !ok || trailer.Version != 1 {
		t.Errorf("last after an amend: %+v %v %v", trailer, ok, err)
	}
}

// A commit never overwrites an edit that the caller has not been given, on disk
// or committed, old or new.
func TestCommitRefusesUnreadEdits(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	next := change(billing, 2, map[string]string{"MEMORY.md": "- two\n"})
	refuse := func(what string) {
		t.Helper()
		if _, committed, err := w.Commit(next); !errors.Is(err, vault.ErrDirty) || committed {
			t.Errorf("%s: %v, committed %v", what, err, committed)
		}
	}
	put(t, v, memoryPath, "- ada\n")
	refuse("on disk")
	gitCLI(t, v, "commit", "-am", "mine")
	refuse("committed")
	wantEdits(t, w, billing, `Ada project:billing MEMORY.md: "- one\n" → "- ada\n"`)
	gitCLI(t, v, "commit", "--allow-empty", "-m", "empty")
	put(t, v, memoryPath, "- ada again\n")
	gitCLI(t, v, "commit", "-am", "again")
	refuse("committed since")
	put(t, v, "project/billing/topics/notes.md", "- a topic\n")
	refuse("beside what would be written")
	// The rendering of another scope is not delayed.
	commit(t, w, change("user:ada", 1, map[string]string{"MEMORY.md": "- ada\n"}))
	w.Unlock()
	v = openVault(t, root)
	w = lock(t, v)
	refuse("in another life")
	if edits, err := v.Unread(billing); err != nil || len(edits) != 2 {
		t.Errorf("unread: %v, %v", brief(edits), err)
	}
	if edits, err := w.HandEdits(monday); err != nil || len(edits) != 3 {
		t.Errorf("edits of all scopes: %v, %v", brief(edits), err)
	}
	commit(t, w, next)
	healthy(t, v)
}

// Files with other names belong to people: committed or not, they do not change.
func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	put(t, v, "project/billing/README.md", "tracked\n")
	put(t, v, "notes.txt", "at the top\n")
	gitCLI(t, v, "add", ".")
	gitCLI(t, v, "commit", "-m", "mine")
	put(t, v, "project/billing/README.md", "changed\n")
	put(t, v, "project/billing/topics/Upper.md", "untracked\n")
	put(t, v, "project/No scope/MEMORY.md", "no scope\n")
	wantEdits(t, w, billing)
	if edits, err := w.HandEdits(monday); err != nil || len(edits) != 0 {
		t.Errorf("edits of all scopes: %v, %v", brief(edits), err)
	}
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	if got := gitCLI(t, v, "status", "--porcelain", "-uall"); got != " M project/billing/README.md\n?? \"project/No scope/MEMORY.md\"\n?? project/billing/topics/Upper.md\n" {
		t.Errorf("status:\n%s", got)
	}
	for _, name := range []string{"README.md", "../x/MEMORY.md", "topics/Upper.md"} {
		if _, _, err := w.Commit(change(billing, 3, map[string]string{name: "x"})); !errors.Is(err, vault.ErrPath) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A person may change a staged file within the same second and to the same
// length. git detects that change only by the age of its index, which is ours
// after a commit.
func TestChangeInTheSecondOfStaging(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	gitCLI(t, v, "config", "core.trustctime", "false") // a test cannot set ctime
	then := time.Now().Add(-time.Hour)
	dated := func(name string) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(v.Dir(), name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	put(t, v, "README", "tracked\n")
	dated("README")
	gitCLI(t, v, "add", "README")
	gitCLI(t, v, "commit", "-m", "mine")
	dated(".git/index")
	put(t, v, "README", "changed\n")
	dated("README")
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	if got := gitCLI(t, v, "status", "--porcelain"); got != " M README\n" {
		t.Errorf("status: %q", got)
	}
}

// Links are not followed, pipes are not read, and a file of 5 MB is an error
// that names the file. Other scopes are still read.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("- 5 MB of memory\n", 5_000_000/17)
	for name, c := range map[string]struct {
		spoil func(dir string) error
		want  error
	}{
		"link to a file": {func(dir string) error { return relink(outside, filepath.Join(dir, "MEMORY.md")) }, vault.ErrSymlink},
		"link inside":    {func(dir string) error { return relink("../../user/ada/MEMORY.md", filepath.Join(dir, "MEMORY.md")) }, vault.ErrSymlink},
		"link to itself": {func(dir string) error { return relink("MEMORY.md", filepath.Join(dir, "MEMORY.md")) }, vault.ErrSymlink},
		"linked topics":  {func(dir string) error { return relink(filepath.Dir(outside), filepath.Join(dir, "topics")) }, vault.ErrSymlink},
		"linked scope":   {func(dir string) error { return relink(filepath.Dir(outside), dir) }, vault.ErrSymlink},
		"folder": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "MEMORY.md")), os.Mkdir(filepath.Join(dir, "MEMORY.md"), 0o700))
		}, vault.ErrNotFile},
		"pipe": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "MEMORY.md")), syscall.Mkfifo(filepath.Join(dir, "MEMORY.md"), 0o600))
		}, vault.ErrNotFile},
		"file for a folder": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		}, vault.ErrNotFile},
		"5 MB": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte(large), 0o600) }, vault.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
			put(t, v, "user/ada/MEMORY.md", "- ada\n")
			if err := c.spoil(filepath.Join(v.Dir(), "project/billing")); err != nil {
				t.Fatal(err)
			}
			edits, err := w.HandEdits(monday)
			var problem *vault.Problem
			if !errors.Is(err, c.want) || !errors.As(err, &problem) || !strings.Contains(problem.Path, "project/billing") || problem.Remedy == "" {
				t.Errorf("edits: %v, want %v", err, c.want)
			}
			if len(edits) != 1 || edits[0].Scope != "user:ada" {
				t.Errorf("the other scope: %v", brief(edits))
			}
			next := change(billing, 2, map[string]string{"MEMORY.md": "- two\n", "topics/notes.md": "- n\n"})
			if _, _, err := w.Commit(next); !errors.Is(err, c.want) {
				t.Errorf("commit: %v, want %v", err, c.want)
			}
			if got, err := os.ReadFile(outside); err != nil || string(got) != "secret\n" {
				t.Errorf("outside: %q, %v", got, err)
			}
		})
	}
}

// relink replaces a path by a link.
func relink(target, name string) error {
	return errors.Join(os.RemoveAll(name), os.Symlink(target, name))
}

// A person may commit a file that the vault would not accept. The edit is
// returned without its bytes and does not block later renderings.
func TestLargeFileInHistory(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- one\n"}))
	put(t, v, memoryPath, strings.Repeat("x", vault.MaxFile+1))
	gitCLI(t, v, "commit", "-am", "large")
	put(t, v, memoryPath, "- small\n")
	edits, err := w.HandEdits(monday, billing)
	if err != nil || len(edits) != 2 || !errors.Is(edits[0].Err, vault.ErrTooLarge) || !strings.Contains(edits[0].Err.Error(), memoryPath) {
		t.Errorf("edits: %v, %v", brief(edits), err)
	}
	commit(t, w, change(billing, 2, map[string]string{"MEMORY.md": "- two\n"}))
	wantEdits(t, w, billing)
}

// A person saves repeatedly during renderings, and every saved text is read. A
// saver waits only until its last text was read.
func TestNoEditIsLostToAConcurrentWriter(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	commit(t, w, change(billing, 1, map[string]string{"MEMORY.md": "- rendered 1\n"}))
	const saves = 60
	read := make(chan string)
	done := make(chan struct{})
	go func() {
		defer close(done)
		path := filepath.Join(v.Dir(), memoryPath)
		for n := range saves {
			text := fmt.Sprintf("- saved %d\n", n)
			draft := filepath.Join(v.Dir(), "draft~")
			if err := errors.Join(os.WriteFile(draft, []byte(text), 0o644), os.Rename(draft, path)); err != nil {
				t.Error(err)
				return
			}
			for got := range read {
				if got == text {
					break
				}
			}
		}
	}()
	for version := int64(2); ; version++ {
		edits, err := w.HandEdits(monday, billing)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range edits {
			select {
			case read <- string(e.After):
			case <-done:
			}
		}
		_, _, err = w.Commit(change(billing, version, map[string]string{"MEMORY.md": fmt.Sprintf("- rendered %d\n", version)}))
		if err != nil && !errors.Is(err, vault.ErrDirty) {
			t.Fatal(err)
		}
		select {
		case <-done:
			healthy(t, v)
			return
		default:
		}
	}
}
