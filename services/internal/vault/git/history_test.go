package git

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// A history equals what the commits say, whether it was built step by step, from
// its file, or from all commits, also after resets, branches and merges.
func TestHistoryIsWhatTheCommitsSay(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	w := lock(t, v)
	long := memory.Scope("project:" + strings.Repeat("Ab", 64))
	scopes := []memory.Scope{billing, "user:ada", "org:Acme", long}
	version := int64(0)
	actions := map[string]func(){
		"render": func() {
			version++
			scope := scopes[int(version)%len(scopes)]
			if _, err := w.HandEdits(monday, scope); err != nil {
				t.Fatal(err)
			}
			commit(t, w, change(scope, version, map[string]string{"MEMORY.md": fmt.Sprintf("- %d\n", version)}))
		},
		"edit": func() {
			version++
			put(t, v, scopeDir(scopes[int(version)%len(scopes)])+"/MEMORY.md", fmt.Sprintf("- by hand %d\n", version))
		},
		"own commit": func() {
			gitCLI(t, v, "add", "-A")
			gitCLI(t, v, "commit", "--allow-empty", "-m", "own")
		},
		"go back": func() {
			gitCLI(t, v, "add", "-A")
			gitCLI(t, v, "commit", "--allow-empty", "-m", "own")
			if _, err := tryGit(v, "reset", "--hard", "HEAD~3"); err != nil {
				t.Log("too little history to go back")
			}
		},
		"merge": func() {
			gitCLI(t, v, "add", "-A")
			gitCLI(t, v, "commit", "--allow-empty", "-m", "own")
			gitCLI(t, v, "switch", "-C", "side")
			put(t, v, "user/bob/MEMORY.md", fmt.Sprintf("- bob %d\n", version))
			gitCLI(t, v, "add", "-A")
			gitCLI(t, v, "commit", "--allow-empty", "-m", "bob")
			gitCLI(t, v, "switch", "main")
			gitCLI(t, v, "merge", "--no-ff", "-m", "merge", "side")
		},
	}
	for _, name := range []string{
		"edit", "render", "render", "render", "render", "own commit", "edit", "edit", "edit", "own commit", "merge",
		"render", "go back", "render", "edit", "render", "merge", "edit", "own commit", "render",
	} {
		actions[name]()
		fresh, err := Open(root, memory.DefaultTenant, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, scope := range append(scopes, "user:bob") {
			got, err := recordOf(v, scope)
			if err != nil {
				t.Fatal(err)
			}
			want, err := recordOf(fresh, scope)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("after %q, %s:\n%+v\nread anew:\n%+v\n%v", name, scope, got, want, err)
			}
		}
	}
	got, err := v.Scopes()
	if want := []memory.Scope{"org:Acme", long, billing, "user:ada", "user:bob"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("scopes: %v, %v", got, err)
	}
	v.history.behind = historyLag
	if err := w.Unlock(); err != nil {
		t.Fatal(err)
	}
	fresh := openVault(t, root)
	if err := fresh.with(func(s *session) error {
		if saved := s.loadHistory(); !reflect.DeepEqual(saved.Scopes, v.history.Scopes) || saved.Head != v.history.Head {
			t.Errorf("saved:\n%+v\nwant:\n%+v", saved, v.history)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	put(t, v, historyFile, "{torn")
	if _, _, ok, err := openVault(t, root).Last(billing); !ok || err != nil {
		t.Errorf("last with a torn file: %v %v", ok, err)
	}
}

func recordOf(v *Vault, scope memory.Scope) (r scopeRecord, err error) {
	err = v.with(func(s *session) (err error) {
		r, err = v.record(s, scope)
		return err
	})
	return r, err
}

// A message is parsed as it was written, and text that would forge a trailer is
// refused.
func TestTrailerRoundTrip(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := openVault(t, root)
	w := lock(t, v)
	for i, bad := range []vault.Trailer{
		{Version: -1}, {Decisions: 1}, {Decisions: 1, First: "a", Last: "b\nWinnow-Version: 9"},
		{First: "a"}, {Decisions: 1, First: "a..b", Last: "c"}, {AuditHead: "a b"},
	} {
		c := change(billing, 1, map[string]string{"MEMORY.md": "- x\n"})
		c.Trailer = bad
		if _, _, err := w.Commit(c); !errors.Is(err, vault.ErrTrailer) {
			t.Errorf("%d: %v", i, err)
		}
	}
	n := int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		id := rapid.StringMatching(`[0-9A-HJKMNP-TV-Z]{26}`)
		want := vault.Trailer{Version: rapid.Int64Range(0, 1<<62).Draw(rt, "version"), Decisions: rapid.IntRange(0, 1000).Draw(rt, "decisions")}
		if want.Decisions > 0 {
			want.First, want.Last = id.Draw(rt, "first"), id.Draw(rt, "last")
		}
		want.AuditHead = rapid.StringMatching(`([0-9]{1,9}:[0-9a-f]{64})?`).Draw(rt, "head")
		c := change(billing, 1, map[string]string{"MEMORY.md": fmt.Sprintf("- %d\n", n)})
		c.Trailer, c.At = want, monday.Add(time.Duration(n)*time.Second)
		commit(t, w, c)
		if got, at, ok, err := v.Last(billing); err != nil || !ok || got != want || !at.Equal(c.At) {
			rt.Fatalf("%+v became %+v %v %v %v", want, got, at, ok, err)
		}
	})
}
