// Command winnow-ingest is the ingest worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(ingest.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
