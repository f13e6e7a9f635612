// Command gotest reads what go test -json says and prints what go test would,
// package by package, and in the last line how many tests were skipped and why:
//
//	go test -json ./... | gotest
//
// With -v in GOFLAGS all that the tests said is printed, otherwise what failed
// and the packages' verdicts. Its exit status is 0 when it could read all of it:
// whether tests failed is the status of go test, so use pipefail.
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
