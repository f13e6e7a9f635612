package testenv

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// longestLine is the most bytes of a line of test data.
const longestLine = 16 << 20

// Lines decodes a file of JSON values, one a line. A line that is no T fails the test, as
// does a file without any.
func Lines[T any](t testing.TB, path string) []T {
	t.Helper()
	var out []T
	for _, line := range readLines(t, path) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v: %.200s", path, err, line)
		}
		out = append(out, v)
	}
	return out
}

// Table returns the lines of a file that are neither empty nor comments ("# …"). A file
// without any fails the test.
func Table(t testing.TB, path string) []string {
	t.Helper()
	var out []string
	for _, line := range readLines(t, path) {
		if !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, longestLine)
	for scan.Scan() {
		if scan.Text() != "" {
			out = append(out, scan.Text())
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no line", path)
	}
	return out
}
