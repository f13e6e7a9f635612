// Command winnow-api is the api worker as a process of its own.
package main

import (
	"os"

	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func main() { os.Exit(run.Main(api.Definition, fleet.All, os.Args[1:], os.Stdout, os.Stderr)) }
