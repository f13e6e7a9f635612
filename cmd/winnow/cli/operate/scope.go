package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops/scopes"
)

func scopeDesk(s *command.Session) *scopes.Desk {
	return &scopes.Desk{Store: s.Store, Tenant: s.Tenant, Person: s.Person, Now: s.Now, Secret: s.Redactor.Secret}
}

func scopeCommand(a *command.App) *cobra.Command {
	var in string
	add := scopeChange(a, "add SCOPE", "Create a scope before anything is stored in it", "  winnow scope add team:payments --in org:acme", command.Exact("SCOPE"),
		func(ctx context.Context, d *scopes.Desk, args []string) (scopes.Entry, error) {
			return d.Add(ctx, args[0], in)
		})
	add.Flags().StringVar(&in, "in", "", "what it belongs to")
	return command.Sub(&cobra.Command{
		Use: "scope", Short: "Say which team and organisation a project belongs to",
		Long: "From a project an agent sees the memories of the project, of its team and of that\n" +
			"team's organisation, and of no other. A project belongs to at most one team, or\n" +
			"straight to an organisation, a team to at most one organisation.",
		Example: "  winnow scope link team:payments org:acme\n  winnow scope link github.com/acme/api team:payments\n  winnow scope list\n  winnow scope show team:payments",
	}, add,
		scopeChange(a, "link SCOPE PARENT", "Say what a scope belongs to, in place of what it belonged to", "  winnow scope link github.com/acme/api team:payments", command.Exact("SCOPE", "PARENT"),
			func(ctx context.Context, d *scopes.Desk, args []string) (scopes.Entry, error) {
				return d.Link(ctx, args[0], args[1])
			}),
		scopeChange(a, "unlink SCOPE", "Let a scope belong to none", "  winnow scope unlink project:shop", command.Exact("SCOPE"),
			func(ctx context.Context, d *scopes.Desk, args []string) (scopes.Entry, error) {
				return d.Link(ctx, args[0], "")
			}),
		scopeChange(a, "show SCOPE", "Show one, with what is above and below it", "  winnow scope show org:acme", command.Exact("SCOPE"),
			func(ctx context.Context, d *scopes.Desk, args []string) (scopes.Entry, error) {
				return d.Show(ctx, args[0])
			}),
		listScopes(a))
}

// scopeChange returns a command about one scope, which it shows afterwards.
func scopeChange(a *command.App, use, short, example string, args cobra.PositionalArgs, do func(context.Context, *scopes.Desk, []string) (scopes.Entry, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				e, err := do(ctx, scopeDesk(s), args)
				if err != nil {
					return err
				}
				return a.Show(e, func(w io.Writer) {
					fmt.Fprintf(w, "%s, %d memories\nbelongs to: %s\nhas: %s\n", e.Scope, e.Memories, joined(e.Above, " → "), joined(e.Below, ", "))
				})
			})
		},
	}
}

func listScopes(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the scopes and what they belong to", Example: "  winnow scope list --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := scopeDesk(s).List(ctx)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, e := range list {
						rows = append(rows, []string{string(e.Scope), strconv.Itoa(e.Memories), joined(e.Above, " → ")})
					}
					command.Table(w, []string{"SCOPE", "MEMORIES", "BELONGS TO"}, rows)
				})
			})
		},
	}
}

func joined[S ~string](list []S, by string) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, by)
}
