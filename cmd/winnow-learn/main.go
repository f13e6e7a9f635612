// Command winnow-learn is the learning worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/learn"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(learn.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
