package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is a mistake in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// IsUsage also recognises the mistakes that cobra finds before any of our code
// runs; it gives them no type.
func IsUsage(err error) bool {
	var u usageError
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command")
}

// Usagef is a mistake in the arguments, in words.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Usage marks an error as a mistake in the arguments; the exit code follows.
func Usage(err error) error { return usageError{err} }

// Sub makes a command of subcommands that shows its help when none is given.
func Sub(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("unknown command %q for %q", args[0], c.CommandPath())
		}
		return nil
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return c
}

// Exact wants n arguments and says which.
func Exact(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return Usagef("%s wants %s, got %d argument(s)\nusage: %s", cmd.CommandPath(), strings.Join(names, " "), len(args), cmd.UseLine())
		}
		return nil
	}
}
