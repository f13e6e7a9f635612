package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository, as seen from this package.
const root = "../../.."

func TestDocumentsAreFresh(t *testing.T) {
	t.Parallel()
	docs, err := documents(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range docs {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is stale; run: make docs", name)
		}
	}
}

// Every field of the contract has to reach the document with its comment.
func TestParseReadsEveryFieldOfTheContract(t *testing.T) {
	t.Parallel()
	got := parse(`// A is told.
message A {
  // Its
  // id.
  string id = 1;
  // Parts.
  repeated B parts = 2;
  reserved 3;
  // Labels.
  map<string, string> labels = 4;
}

message B {
  string x = 1;
}
`)
	if len(got) != 2 || got[0].doc != "A is told." || len(got[0].fields) != 3 {
		t.Fatalf("parsed %+v", got)
	}
	if f := got[0].fields[0]; f.name != "id" || f.typ != "string" || f.doc != "Its id." {
		t.Errorf("first field: %+v", f)
	}
	if f := got[0].fields[2]; f.typ != "map<string, string>" || f.doc != "Labels." {
		t.Errorf("last field: %+v", f)
	}
	if f := got[1].fields[0]; f.doc != "" {
		t.Errorf("a field without a comment has %q", f.doc)
	}
}

var subjectOf = regexp.MustCompile(`Subject: ([a-z.]+[a-z])`)

// An event that the contract gives a subject is in the table of subjects.
func TestEverySubjectIsListed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(root, "proto", "winnow", "v1")
	text, err := events(folder)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.proto"))
	listed := 0
	for _, name := range files {
		contract, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range parse(string(contract)) {
			if s := subjectOf.FindStringSubmatch(m.doc); s != nil {
				listed++
				if !strings.Contains(text, "| `"+s[1]+"`") {
					t.Errorf("%s is published on %s, which the table lacks", m.name, s[1])
				}
			}
		}
	}
	if listed == 0 {
		t.Error("no comment of the contract names a subject")
	}
}
