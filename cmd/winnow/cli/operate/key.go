package operate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

func keyCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{Use: "key", Short: "Maintain API keys", Example: "  winnow key list"}, keyAdd(a), keyList(a), keyRevoke(a))
}

func keyAdd(a *command.App) *cobra.Command {
	var n ops.NewKey
	var days int
	add := &cobra.Command{
		Use: "add PRINCIPAL", Short: "Make an API key of a principal and print it once", Args: command.Exact("PRINCIPAL"),
		Example: "  winnow key add ci-bot --name \"nightly build\" --expires-in-days 90\n" +
			"  winnow key add human --permissions memory:read,memory:operate",
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Principal = args[0]
			if days < 0 {
				return command.Usagef("--expires-in-days %d: give days to come, or 0 for a key without an end", days)
			}
			n.ExpiresIn = time.Duration(days) * 24 * time.Hour
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				key, secret, err := s.Ops.AddKey(ctx, n)
				if err != nil {
					return err
				}
				a.Say("this key is shown once; only its hash is stored")
				return a.Show(map[string]any{"id": key.ID, "principal": key.Principal, "key": secret, "expires_at": key.ExpiresAt}, func(w io.Writer) {
					fmt.Fprintln(w, key.ID, secret)
				})
			})
		},
	}
	add.Flags().StringVar(&n.Name, "name", "", "what it is for, in words")
	add.Flags().StringSliceVar(&n.Permissions, "permissions", nil, "some of memory:read, memory:propose, memory:operate, review:read and review:decide (default: all that the principal may)")
	add.Flags().IntVar(&days, "expires-in-days", 0, "days until it ends; 0 is never")
	return add
}

func keyList(a *command.App) *cobra.Command {
	var principal string
	list := &cobra.Command{
		Use: "list", Short: "List API keys", Args: cobra.NoArgs, Example: "  winnow key list --principal ci-bot",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				keys, err := s.Ops.Keys(ctx, principal)
				if err != nil {
					return err
				}
				return a.Show(keys, func(w io.Writer) {
					var rows [][]string
					for _, k := range keys {
						allowed := "all of the principal"
						if k.Permissions != nil {
							allowed = strings.Trim(fmt.Sprint(k.Permissions), "[]")
						}
						rows = append(rows, []string{k.ID, k.Principal, k.State(s.Now()), k.Hint, day(k.ExpiresAt), day(k.LastUsed), allowed, k.Name})
					}
					command.Table(w, []string{"ID", "PRINCIPAL", "STATE", "KEY", "EXPIRES", "LAST USED", "PERMISSIONS", "NAME"}, rows)
				})
			})
		},
	}
	list.Flags().StringVar(&principal, "principal", "", "only keys of this principal")
	return list
}

func keyRevoke(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID…", Short: "End API keys at once", Args: cobra.MinimumNArgs(1), Example: "  winnow key revoke key_01JD0000000000000000000000",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				for _, id := range args {
					if err := s.Ops.RevokeKey(ctx, id); err != nil {
						return err
					}
					a.Say("%s is revoked", id)
				}
				return nil
			})
		},
	}
}

// day returns a date, or a dash for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

func tenantCommand(a *command.App) *cobra.Command {
	add := &cobra.Command{
		Use: "add NAME", Short: "Add a tenant, which sees nothing of the others", Args: command.Exact("NAME"),
		Example: "  winnow tenant add acme\n  WINNOW_TENANT=acme winnow principal add acme-bot --key",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if cfg, _, err = run.Locate(cfg); err != nil {
				return err
			}
			if err := run.AddTenant(cmd.Context(), cfg, args[0]); err != nil {
				return err
			}
			a.Say("%s is there; register who speaks for it with WINNOW_TENANT=%s winnow principal add ID --key", args[0], args[0])
			return nil
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "List tenants", Args: cobra.NoArgs, Example: "  winnow tenant list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				all, err := s.Store.Tenants(ctx)
				if err != nil {
					return err
				}
				return a.Show(all, func(w io.Writer) {
					for _, t := range all {
						fmt.Fprintln(w, t)
					}
				})
			})
		},
	}
	return command.Sub(&cobra.Command{Use: "tenant", Short: "Maintain tenants", Example: "  winnow tenant list"}, add, list)
}
