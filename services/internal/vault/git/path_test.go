package git

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

func TestEncodeID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"billing":             "billing",
		"github.com/acme/api": "github.com%2facme%2fapi",
		"Billing":             "%42illing",
		"ada+x@example.org":   "ada+x@example.org",
		".":                   "%2e",
		"..":                  "%2e%2e",
		".git":                "%2egit",
		"a.":                  "a%2e",
		"-rf":                 "%2drf",
		"con":                 "%63on",
		"nul.txt":             "%6eul.txt",
		"com1":                "%63om1",
		"com10":               "com10",
		"CON":                 "%43%4f%4e",
		"_system":             "_system",
	} {
		if got := EncodeID(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
	for _, name := range []string{"", "Billing", "%41%", "a%2F", "%zz", "%6", "%61", "..", ".git", "a/b", "%", "con", "a b"} {
		if id, err := DecodeID(name); err == nil {
			t.Errorf("%q: taken for %q", name, id)
		}
	}
}

// Two scopes never share a folder, on any file system, and no folder is inside
// another scope's.
func TestEncodeIDIsInjective(t *testing.T) {
	t.Parallel()
	ids := rapid.StringMatching(`[a-zA-Z0-9._/@+-]{1,128}`)
	edges := rapid.SampledFrom([]string{".", "..", ".git", ".GIT", "con", "Con", "a", "A", "a/topics", "A/", strings.Repeat("A", 128), strings.Repeat("aB", 64)})
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.OneOf(ids, edges).Draw(t, "a"), rapid.OneOf(ids, edges).Draw(t, "b")
		name := EncodeID(a)
		if back, err := DecodeID(name); err != nil || back != a {
			t.Fatalf("%q → %q → %q, %v", a, name, back, err)
		}
		other := EncodeID(b)
		if a != b && strings.EqualFold(name, other) {
			t.Fatalf("%q and %q share %q", a, b, name)
		}
		if a != b && strings.HasPrefix(other+"/", name+"/") {
			t.Fatalf("%q lies in %q", other, name)
		}
		for _, part := range strings.Split(name, "/") {
			if len(part) > 255 || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".") || strings.ToLower(part) != part {
				t.Fatalf("unsafe %q in %q", part, name)
			}
		}
		scope := memory.Scope("project:" + a)
		if back, err := scopeOf(scopeDir(scope)); err != nil || back != scope {
			t.Fatalf("%q: %q, %v", scope, back, err)
		}
		if path.Clean(name) != name {
			t.Fatalf("%q is not clean", name)
		}
	})
}

func TestOwned(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"MEMORY.md": true, "topics/notes.md": true, "topics/2026-q1_plan.v2.md": true,
		"memory.md": false, "README.md": false, "topics/.md": false, "topics/Notes.md": false, "topics/-x.md": false,
		"topics/../MEMORY.md": false, "topics/a/b.md": false, "/MEMORY.md": false, "topics/notes.txt": false, "topics/": false, "": false,
	} {
		if got := vault.Owned(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
