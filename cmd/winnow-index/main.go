// Command winnow-index is the index worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(index.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
