package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/local"
)

// A folder's project follows from files alone, for every kind of checkout.
func TestFindProject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"api/.git/config":                   "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@github.com:me/api.git\n[remote \"origin\"]\n\turl = https://x:y@github.com/Acme/API.git\n",
		"api/deep/er/file":                  "",
		"api/other/.winnow.yaml":            "project: acme-other\n",
		"tree/.git":                         "gitdir: ../api/.git/worktrees/tree\n",
		"api/.git/worktrees/tree/commondir": "../..\n",
		"bare-bones/.git/config":            "[core]\n",
		"named/.winnow.yaml":                "project: acme/named\nlater: 1\n",
		"bad/.winnow.yaml":                  "project: 'two words'\n",
		"broken/.winnow.yaml":               "project: [\n",
		"no-remote-section/.git/config":     "url = https://github.com/a/b\n",
		"one-remote/.git/config":            "[remote \"up\"]\nurl = \"ssh://git@gitlab.com:22/g/sub/p.git\"\n",
		"scoped/.winnow.yaml":               "scope: team:platform\n",
		"plain/notes.txt":                   "",
		"empty-project/.winnow.yaml":        "project:\n",
		"api/vendor/lib/.git":               "gitdir: ../../.git/modules/lib\n",
		"api/.git/modules/lib/config":       "[remote \"origin\"]\n\turl = https://github.com/them/lib\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"api": "github.com/acme/api", "api/deep/er": "github.com/acme/api", "api/other": "acme-other",
		"tree": "github.com/acme/api", "bare-bones": "bare-bones", "named": "acme/named", "plain": "plain",
		"no-remote-section": "no-remote-section", "one-remote": "gitlab.com/g/sub/p", "empty-project": "empty-project",
		"api/vendor/lib": "github.com/them/lib", "not/there": "there",
	} {
		if got, err := local.FindProject(filepath.Join(root, dir)); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", dir, got, err, want)
		}
	}
	for _, dir := range []string{"bad", "broken"} {
		if got, err := local.FindProject(filepath.Join(root, dir)); err == nil {
			t.Errorf("%s: %q", dir, got)
		}
	}
	place, err := local.FindPlace(filepath.Join(root, "scoped"))
	if want := (local.Place{Project: "scoped", Scope: "team:platform", Stated: true}); err != nil || place != want {
		t.Errorf("scoped: %+v, %v, want %+v", place, err, want)
	}
	if got, err := local.FindProject("/tmp"); err != nil || got != "" {
		t.Errorf("/tmp: %q, %v", got, err)
	}
}
