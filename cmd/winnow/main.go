// Command winnow is the command line of Winnow, and any set of its workers in
// one process.
package main

import (
	"os"

	"github.com/winnowhq/winnow/cmd/winnow/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
