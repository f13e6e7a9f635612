// Command winnow-digest is the digest worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(digest.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
