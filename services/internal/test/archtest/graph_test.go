package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// home is the path under which the three modules are imported.
const home = "github.com/winnowhq/winnow/"

// pkg is a package as `go list` describes it.
type pkg struct {
	ImportPath   string
	Name         string
	Doc          string
	Dir          string
	GoFiles      []string
	Imports      []string // of the files that ship
	TestImports  []string
	XTestImports []string
	Standard     bool
	DepOnly      bool
}

// path is the import path below home: "services/triage"; for others' packages
// it is the whole import path.
func (p pkg) path() string { return short(p.ImportPath) }

func short(importPath string) string { return strings.TrimPrefix(importPath, home) }

// graph is every package of the three modules and all that they need.
type graph struct {
	byPath map[string]pkg // by import path
	ours   []pkg          // in the order of their paths
}

// load runs `go list` once for all tests of this package: it is most of their
// time.
var load = sync.OnceValues(func() (graph, error) {
	root, err := findRoot()
	if err != nil {
		return graph{}, err
	}
	// -e: a package that does not build is reported by the compiler, and its imports
	// can be checked all the same.
	cmd := exec.Command("go", "list", "-e", "-deps",
		"-json=ImportPath,Name,Doc,Dir,GoFiles,Imports,TestImports,XTestImports,Standard,DepOnly",
		"./...", "./pkg/...", "./proto/...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return graph{}, errors.New("go list: " + string(exit.Stderr))
		}
		return graph{}, err
	}
	g := graph{byPath: map[string]pkg{}}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return graph{}, err
		}
		g.byPath[p.ImportPath] = p
		if strings.HasPrefix(p.ImportPath, home) && !p.DepOnly {
			g.ours = append(g.ours, p)
		}
	}
	slices.SortFunc(g.ours, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return g, nil
})

func loadGraph(t *testing.T) graph {
	t.Helper()
	g, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.ours) == 0 {
		t.Fatal("go list found no package of ours")
	}
	return g
}

// way returns the shortest chain of imports from one package to another that
// accepts, by the files that ship; nil without one. It follows only packages of ours:
// the imports of a library are not checked.
func (g graph) way(from string, accept func(importPath string) bool) []string {
	type step struct {
		path string
		prev *step
	}
	queue, seen := []*step{{path: from}}, map[string]bool{from: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, next := range g.byPath[s.path].Imports {
			if seen[next] {
				continue
			}
			seen[next] = true
			n := &step{path: next, prev: s}
			if accept(next) {
				var chain []string
				for ; n != nil; n = n.prev {
					chain = append(chain, short(n.path))
				}
				slices.Reverse(chain)
				return chain
			}
			if strings.HasPrefix(next, home) {
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// findRoot walks up to the folder that holds go.work. The package stands apart
// from testenv, which would bring every driver into this small test.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.work above the working directory")
		}
		dir = up
	}
}

func repositoryRoot(t *testing.T) string {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}
