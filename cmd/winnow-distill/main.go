// Command winnow-distill is the distill worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(distill.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
