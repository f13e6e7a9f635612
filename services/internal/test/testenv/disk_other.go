//go:build !linux

package testenv

import "testing"

// SmallDisk skips: only Linux mounts a small file system without further tools.
func SmallDisk(t testing.TB, _ string) string {
	t.Helper()
	Skip(t, "mount", "small file systems are mounted on Linux only")
	return ""
}

// FillDisk is not reached, because [SmallDisk] skips.
func FillDisk(testing.TB, string) string { return "" }
