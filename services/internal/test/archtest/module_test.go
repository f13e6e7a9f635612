package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// apart are modules that go.work leaves out on purpose.
var apart = map[string]string{
	"tools":         "generators and linters must never enter the version selection of what they check",
	"tools/lint":    "nor must what reads the code and complains: tools/lint.sh",
	"tools/release": "nor must what packs a release; make release-check builds and runs it",
	"tools/compose": "nor must what reads compose files; make compose-check runs its tests",
}

func TestWorkspaceIsComplete(t *testing.T) {
	t.Parallel()
	root := repositoryRoot(t)
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	used := strings.Fields(regexp.MustCompile(`(?s)use \((.*?)\)`).FindStringSubmatch(string(work))[1])
	for _, dir := range modules(t, root) {
		name := "./" + dir
		if dir == "." {
			name = dir
		}
		if _, ok := apart[dir]; !ok && !slices.Contains(used, name) {
			t.Errorf("go.work does not use %s: `go test ./...` would pass it by", name)
		}
	}
}

// A replace in a go.mod is ignored where the module is a dependency and makes
// `go install …@version` fail; the workspace replaces, see docs/adr/0005.
func TestNoModuleReplaces(t *testing.T) {
	t.Parallel()
	root := repositoryRoot(t)
	replace := regexp.MustCompile(`(?m)^replace\b`)
	for _, dir := range modules(t, root) {
		text, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if replace.Match(text) {
			t.Errorf("%s/go.mod has a replace directive: put it into go.work", dir)
		}
	}
}

// modules lists the folders with a go.mod, below the root.
func modules(t *testing.T, root string) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin"):
			return filepath.SkipDir
		case d.Name() == "go.mod":
			rel, err := filepath.Rel(root, filepath.Dir(name))
			dirs = append(dirs, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
