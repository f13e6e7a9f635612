// Command winnow-consolidate is the consolidation worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(consolidate.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
