// Command winnow-relay is the relay worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(relay.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
