package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// memoryFile is where the instance keeps a scope's MEMORY.md.
func memoryFile(scope string) string {
	return filepath.Join(instance.Dir, "vault", "default", filepath.FromSlash(strings.Replace(scope, ":", "/", 1)), "MEMORY.md")
}

// shown waits until a scope's MEMORY.md has a text in it:
//
//	shown project:shop 'keeps 12 connections'
func shown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shown scope text")
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		if data, err := os.ReadFile(memoryFile(args[0])); err == nil && bytes.Contains(data, []byte(args[1])) {
			return
		}
	}
	ts.Fatalf("%s never shows %q", memoryFile(args[0]), args[1])
}

// spoil leaves the markers of a merge in a scope's MEMORY.md:
//
//	spoil project:shop
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: spoil scope")
	}
	file, err := os.OpenFile(memoryFile(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = file.WriteString("<<<<<<< HEAD\n- this\n=======\n- that\n>>>>>>> theirs\n")
	ts.Check(err)
	ts.Check(file.Close())
}
