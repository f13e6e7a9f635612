package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Root returns the repository's root: the nearest folder above the test's that has
// go.work, or go.mod without one (a module unpacked on its own).
func Root(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatalf("find repository root: %v", err)
	}
	for _, marker := range []string{"go.work", "go.mod"} {
		for dir := start; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, marker)); err == nil {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	t.Fatalf("find repository root: neither go.work nor go.mod above %s", start)
	return ""
}

// SharedPath returns the path of a file of the shared test data, existing or not:
// beside the repository, into which it is never copied.
func SharedPath(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(filepath.Dir(Root(t)), "shared", "testdata", filepath.FromSlash(name))
}

// Shared returns the path of a file or folder of the shared test data (see
// SharedPath). The test skips where it is absent.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := SharedPath(t, name)
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		Skip(t, CapabilityShared, "shared test data "+name+" is not beside the repository")
	}
	if err != nil {
		t.Fatalf("shared test data: %v", err)
	}
	return path
}
