package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	codeIn  = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
)

// Every link in a document leads to a file, and to a heading where it names one.
// Where it shows the name of a test, the file has that test.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, name := range documentFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(codeIn.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[2], ":") {
				continue // an address outside the repository
			}
			checked++
			target, anchor, _ := strings.Cut(m[2], "#")
			file := name
			if target != "" {
				file = filepath.Join(filepath.Dir(name), filepath.FromSlash(target))
			}
			if problem := leads(file, m[1], anchor); problem != "" {
				t.Errorf("%s links to %s: %s", name, m[2], problem)
			}
		}
	}
	if checked == 0 {
		t.Error("no links were found")
	}
}

// documentFiles returns the repository's Markdown files that people read.
func documentFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "examples", "deploy", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// leads returns the fault of a link, empty for a good one.
func leads(file, shown, anchor string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "it is not there"
	}
	if info.IsDir() {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	if strings.HasPrefix(shown, "Test") && strings.HasSuffix(file, "_test.go") {
		// "TestUndo…" stands for all tests with this prefix.
		if name := strings.TrimSuffix(shown, "…"); !strings.Contains(string(text), "func "+name) {
			return "it has no " + shown
		}
	}
	if anchor == "" {
		return ""
	}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		if slug(m[1]) == anchor {
			return ""
		}
	}
	return "it has no such heading"
}

// slug returns the anchor that hosts give a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}
