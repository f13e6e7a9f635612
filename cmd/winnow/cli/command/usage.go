package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is an error in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// IsUsage reports whether err is a usage error. IsUsage also recognises the
// errors of cobra before a command runs, which have no type.
func IsUsage(err error) bool {
	var u usageError
	if errors.As(err, &u) {
		return true
	}
	for _, said := range []string{"unknown command", "required flag(s)", "if any flags in the group"} {
		if strings.HasPrefix(err.Error(), said) {
			return true
		}
	}
	return false
}

// Usagef returns a usage error with a message.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Usage marks err as a usage error, which determines the exit code.
func Usage(err error) error { return usageError{err} }

// Sub returns a command with subcommands that shows its help without a
// subcommand.
func Sub(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	c.SuggestionsMinimumDistance = typos
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("unknown command %q for %q%s", args[0], c.CommandPath(), meant(c.SuggestionsFor(args[0])))
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
			return Usagef("%s wants %s, got %d argument(s)", cmd.CommandPath(), strings.Join(names, " "), len(args))
		}
		return nil
	}
}

// MarkUsage makes what is wrong with the arguments of c and its subcommands a usage error,
// also where cobra says it.
func MarkUsage(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err != nil && !IsUsage(err) {
				err = Usage(err)
			}
			return err
		}
	}
	for _, sub := range c.Commands() {
		MarkUsage(sub)
	}
}

// typos is how many letters a name may be wrong by and is still recognised.
const typos = 2

// UnknownFlag is the error of parsing a command's flags, with the flags that the person
// may have meant.
func UnknownFlag(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return Usage(err)
	}
	var near []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && (levenshtein.ComputeDistance(f.Name, name) <= typos || strings.HasPrefix(f.Name, name)) {
			near = append(near, "--"+f.Name)
		}
	})
	return Usage(fmt.Errorf("%w%s", err, meant(near)))
}

// meant formats names for the end of an error, as cobra does for commands.
func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\n\nDid you mean this?\n\t" + strings.Join(names, "\n\t")
}
