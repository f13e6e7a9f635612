// Command winnow-triage is the triage worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
	"github.com/winnowhq/winnow/services/triage"
)

func main() { os.Exit(run.Main(triage.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
