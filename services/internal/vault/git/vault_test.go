package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vault"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(runChild())
	}
	testenv.Main(m)
}

const billing = memory.Scope("project:billing")

var monday = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)

func openVault(t testing.TB, root string) *Vault {
	t.Helper()
	v, err := Open(root, memory.DefaultTenant, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func lock(t testing.TB, v *Vault) *Writer {
	t.Helper()
	w, err := v.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Unlock() })
	return w
}

// change returns a rendering of files at a version; its time is version seconds
// after Monday.
func change(scope memory.Scope, version int64, files map[string]string) vault.Change {
	c := vault.Change{Scope: scope, Files: map[string][]byte{}, At: monday.Add(time.Duration(version) * time.Second)}
	c.Trailer = vault.Trailer{Version: version, Decisions: 2, First: "01A", Last: "01B"}
	for name, text := range files {
		c.Files[name] = []byte(text)
	}
	return c
}

func commit(t testing.TB, w *Writer, c vault.Change) string {
	t.Helper()
	hash, committed, err := w.Commit(c)
	if err != nil || !committed {
		t.Fatalf("commit: %v, committed %v", err, committed)
	}
	return hash
}

// put saves a file like a person.
func put(t testing.TB, v *Vault, name, text string) {
	t.Helper()
	path := filepath.Join(v.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func onDisk(t testing.TB, v *Vault, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(v.Dir(), filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// gitCLI runs the real git in the vault, as a person named Ada.
func gitCLI(t testing.TB, v *Vault, args ...string) string {
	t.Helper()
	testenv.Require(t, testenv.CapabilityGit)
	out, err := tryGit(v, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(v *Vault, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", v.Dir(), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// healthy checks with the real git: no damage, nothing uncommitted, linear
// history.
func healthy(t testing.TB, v *Vault) {
	t.Helper()
	gitCLI(t, v, "fsck", "--strict", "--no-dangling")
	if out := gitCLI(t, v, "log", "--min-parents=2", "--oneline"); out != "" {
		t.Errorf("merges in history:\n%s", out)
	}
	tidy(t, v)
}

// tidy checks only that everything is committed and no file of a write is left.
func tidy(t testing.TB, v *Vault) {
	t.Helper()
	if out := gitCLI(t, v, "status", "--porcelain"); out != "" {
		t.Errorf("git status:\n%s", out)
	}
	for _, name := range []string{"index.lock", "refs/heads/main.lock", "winnow/pending", "winnow/temp-0", "winnow/ref.new", "winnow/index.new"} {
		if _, err := os.Lstat(filepath.Join(v.Dir(), ".git", name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// SPEC §13: one commit for a scope, with its trailers, that git parses in the
// same way.
func TestCommit(t *testing.T) {
	t.Parallel()
	v := openVault(t, t.TempDir())
	w := lock(t, v)
	c := change(billing, 1, map[string]string{"MEMORY.md": "- one\n", "topics/notes.md": "- more\n"})
	c.Trailer.AuditHead = "7:abcdef"
	hash := commit(t, w, c)
	healthy(t, v)
	want := "Winnow <winnow@localhost> 2026-03-02T07:00:01+00:00\nproject:billing: 2 decisions\n\n" +
		"Winnow-Scope: project:billing\nWinnow-Version: 1\nWinnow-Decisions: 2, 01A..01B\nWinnow-Audit-Head: 7:abcdef\n" +
		"Winnow-Tree: " + strings.TrimSpace(gitCLI(t, v, "rev-parse", "HEAD:project/billing")) + "\n\n"
	if got := gitCLI(t, v, "log", "--format=%cn <%ce> %cI%n%B"); got != want {
		t.Errorf("log:\n%s", got)
	}
	if got := gitCLI(t, v, "log", "--format=%(trailers:key=Winnow-Version,valueonly)"); strings.TrimSpace(got) != "1" {
		t.Errorf("git reads the trailers as %q", got)
	}
	if got := onDisk(t, v, "project/billing/MEMORY.md"); got != "- one\n" {
		t.Errorf("file: %q", got)
	}
	if _, committed, err := w.Commit(c); err != nil || committed {
		t.Errorf("the same again: %v, committed %v", err, committed)
	}
	next := change(billing, 2, map[string]string{"MEMORY.md": "- two\n"})
	next.Files["topics/notes.md"] = nil
	commit(t, w, next)
	healthy(t, v)
	files, err := v.Read(billing)
	if err != nil || len(files) != 1 || string(files["MEMORY.md"]) != "- two\n" {
		t.Errorf("read: %q, %v", files, err)
	}
	trailer, at, ok, err := v.Last(billing)
	if err != nil || !ok || trailer != next.Trailer || !at.Equal(next.At) {
		t.Errorf("last: %+v %v %v %v", trailer, at, ok, err)
	}
	entries, err := v.Log(billing, 0)
	if err != nil || len(entries) != 2 || entries[1].Hash != hash || entries[1].Trailer != c.Trailer || entries[0].Hand {
		t.Errorf("log: %+v, %v", entries, err)
	}
	if _, _, ok, err := v.Last("project:other"); ok || err != nil {
		t.Errorf("last of a scope without commits: %v %v", ok, err)
	}
}
