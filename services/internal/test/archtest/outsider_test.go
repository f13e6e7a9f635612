package archtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	// outsiderVariable turns the tests of this file on. They build everything
	// again without the workspace, which takes minutes on a cold cache.
	outsiderVariable = "WINNOW_VERIFY_MODULES"
	// releaseVariable turns on the tests that make release-check alone runs.
	releaseVariable = "WINNOW_RELEASE_CHECK"
	// packedVersion is the version that the go.mod files require of their
	// siblings.
	packedVersion = "v0.1.0"
)

// go.work hides a missing requirement and a heavy import. This test builds the modules
// as any user gets them: packed, served by a module proxy, without go.work.
func TestOutsiderGetsLightModules(t *testing.T) {
	o := newOutsider(t)
	o.pack("proto")
	o.pack("pkg")

	dir := filepath.Join(o.tmp, "stranger")
	o.write(dir, "go.mod", "module example.test/stranger\n\ngo 1.26.0\n")
	o.write(dir, "main.go", `// Command stranger publishes a proposal.
package main

import (
	_ "`+home+`pkg/event"
	_ "`+home+`pkg/publish"
)

func main() {}
`)
	o.goTool(dir, "get", home+"pkg@"+packedVersion)
	o.goTool(dir, "build", "./...")

	var got []string
	for _, line := range strings.Split(strings.TrimSpace(o.goTool(dir, "list", "-m", "all")), "\n") {
		if name, _, _ := strings.Cut(line, " "); name != "example.test/stranger" {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	compareWithFile(t, "testdata/outsider_modules.txt", got)

	var linked []string
	for _, name := range strings.Fields(o.goTool(dir, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")) {
		if name != "example.test/stranger" && !slices.Contains(linked, name) {
			linked = append(linked, name)
		}
	}
	t.Logf("importing pkg/publish puts %d modules into version selection and links %d: %s",
		len(got), len(linked), strings.Join(linked, ", "))
	for _, heavy := range []string{"go.uber.org/zap", "github.com/jackc/pgx/v5", "github.com/nats-io/nats-server/v2", strings.TrimSuffix(home, "/")} {
		if slices.Contains(got, heavy) {
			t.Errorf("importing pkg/publish drags in %s", heavy)
		}
	}
}

// Every go.mod states all that its module needs.
func TestOutsiderBuildsEveryModule(t *testing.T) {
	o := newOutsider(t)
	o.pack("proto")
	o.pack("pkg")
	for _, dir := range []string{"proto", "pkg"} {
		copied := o.copyModule(dir)
		before := o.read(copied, "go.mod")
		o.goTool(copied, "build", "./...")
		o.goTool(copied, "vet", "./...")
		if after := o.read(copied, "go.mod"); after != before {
			t.Errorf("%s/go.mod is not complete; building alone made it\n%s", dir, after)
		}
	}

	// The application's libraries are many; it takes them from the machine's
	// module cache, and its siblings as they were packed.
	app := o.copyModule(".")
	for _, dir := range []string{"pkg", "proto"} {
		packed := filepath.Join(o.cache, filepath.FromSlash(home)+dir+"@"+packedVersion)
		o.goTool(o.tmp, "mod", "download", home+dir+"@"+packedVersion)
		o.goWith(app, nil, "mod", "edit", "-replace="+home+dir+"="+packed)
	}
	// Compiles all of it. That it links is what every other step shows.
	o.goWith(app, []string{"GOFLAGS=-mod=readonly -trimpath"}, "list", "-export", "-f=", "./...")
}

// TestReleaseInstalls installs the command as a user does, with a module cache of its own:
// `go install …@latest` takes no go.mod with a replacement and no sibling that is not
// released. The installed command knows its version.
func TestReleaseInstalls(t *testing.T) {
	if os.Getenv(releaseVariable) == "" {
		t.Skipf("fills a module cache and builds everything; make release-check sets %s", releaseVariable)
	}
	t.Setenv(outsiderVariable, "1")
	o := newOutsider(t)
	for _, dir := range []string{"proto", "pkg", "."} {
		o.pack(dir)
	}
	bin := filepath.Join(o.tmp, "bin")
	// Without the cache's path in them, packages that were built before are not built again.
	o.env = append(o.env, "GOBIN="+bin, "GOFLAGS=-mod=mod -modcacherw -trimpath")
	o.goTool(o.tmp, "install", home+"cmd/winnow@latest")
	out, err := exec.Command(filepath.Join(bin, "winnow"), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "winnow version "+packedVersion+" ") {
		t.Errorf("winnow --version: %v, %s; want %s", err, out, packedVersion)
	}
	t.Logf("installed: %s", out)
}

// outsider is a machine that has never seen this repository: a module cache of
// its own and a proxy that serves the packed siblings.
type outsider struct {
	t                       *testing.T
	root, tmp, proxy, cache string
	env                     []string
}

func newOutsider(t *testing.T) *outsider {
	t.Helper()
	if os.Getenv(outsiderVariable) == "" {
		t.Skipf("builds everything again; make verify-modules sets %s", outsiderVariable)
	}
	tmp := t.TempDir()
	o := &outsider{
		t: t, root: repositoryRoot(t), tmp: tmp,
		proxy: filepath.Join(tmp, "proxy"), cache: filepath.Join(tmp, "cache"),
	}
	machine := strings.Fields(o.goWith(tmp, nil, "env", "GOMODCACHE", "GOPROXY"))
	o.env = []string{
		"GOMODCACHE=" + o.cache,
		// The machine's own downloads are served as a proxy too, so that this
		// works offline.
		"GOPROXY=file://" + o.proxy + ",file://" + filepath.Join(machine[0], "cache", "download") + "," + machine[1],
		"GONOSUMDB=" + strings.TrimSuffix(home, "/") + "," + home + "*", "GONOSUMCHECK=1",
		// modcacherw lets the test's folder be removed afterwards.
		"GOFLAGS=-mod=mod -modcacherw -trimpath",
	}
	return o
}

// goTool runs the go command as the outsider and returns what it printed.
func (o *outsider) goTool(dir string, args ...string) string {
	o.t.Helper()
	return o.goWith(dir, o.env, args...)
}

// goWith runs the go command outside the workspace.
func (o *outsider) goWith(dir string, env []string, args ...string) string {
	o.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		o.t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// pack lays a module into the proxy as the go command expects it.
func (o *outsider) pack(dir string) {
	o.t.Helper()
	module := strings.TrimSuffix(home+dir, "/.") // the application is the folder itself
	at := filepath.Join(o.proxy, filepath.FromSlash(module), "@v")
	o.write(at, "list", packedVersion+"\n")
	o.write(at, packedVersion+".info", fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, packedVersion))
	o.write(at, packedVersion+".mod", o.read(filepath.Join(o.root, dir), "go.mod"))

	f, err := os.Create(filepath.Join(at, packedVersion+".zip"))
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	o.eachFile(dir, func(name string, text []byte) {
		w, err := z.Create(module + "@" + packedVersion + "/" + name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			o.t.Fatal(err)
		}
	})
	if err := z.Close(); err != nil {
		o.t.Fatal(err)
	}
}

// copyModule copies a module's files, without the modules inside it.
func (o *outsider) copyModule(dir string) string {
	o.t.Helper()
	to := filepath.Join(o.tmp, "copy", filepath.FromSlash(dir), "module")
	o.eachFile(dir, func(name string, text []byte) {
		o.write(filepath.Join(to, filepath.Dir(name)), filepath.Base(name), string(text))
	})
	return to
}

// eachFile visits a module's files as a version of it holds them: no nested
// module, nothing hidden, nothing built.
func (o *outsider) eachFile(dir string, visit func(name string, text []byte)) {
	o.t.Helper()
	base := filepath.Join(o.root, dir)
	err := filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == base {
			return err
		}
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(name, "go.mod"))
			if nested == nil || strings.HasPrefix(d.Name(), ".") || dir == "." && (d.Name() == "bin" || d.Name() == "dist") {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "go.work") {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, name)
		visit(filepath.ToSlash(rel), text)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *outsider) write(dir, name, text string) {
	o.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outsider) read(dir, name string) string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

// compareWithFile compares lines with a committed file; comments start with #.
func compareWithFile(t *testing.T, name string, got []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			want = append(want, line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("new in %s: %s", name, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("gone from what %s lists: %s", name, line)
		}
	}
}
