// Command gotest reads the output of go test -json and prints what go test would,
// package by package. The last line says how many tests were skipped, and why:
//
//	go test -json ./... | gotest
//
// With -v in GOFLAGS it prints the whole output of the tests, otherwise the output of
// failed tests and the verdict of each package. Its exit status is 0 when it could
// read all of the input. The status of failed tests is that of go test, so use
// pipefail.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	verbose := slices.Contains(strings.Fields(os.Getenv("GOFLAGS")), "-v")
	r := newReport(os.Stdout, verbose)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	r.end()
}
