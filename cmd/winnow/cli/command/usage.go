package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is an error in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// IsUsage reports whether err is a usage error. IsUsage also recognises the
// errors of cobra before a command runs, which have no type.
func IsUsage(err error) bool {
	var u usageError
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command")
}

// Usagef returns a usage error with a message.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Usage marks err as a usage error, which determines the exit code.
func Usage(err error) error { return usageError{err} }

// Sub returns a command with subcommands that shows its help without a
// subcommand.
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

// Exact requires n arguments and names them in the error.
func Exact(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return Usagef("%s wants %s, got %d argument(s)\nusage: %s", cmd.CommandPath(), strings.Join(names, " "), len(args), cmd.UseLine())
		}
		return nil
	}
}
