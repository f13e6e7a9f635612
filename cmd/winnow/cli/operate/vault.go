package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/ops/vault"
	"github.com/winnowhq/winnow/services/run"
)

func vaultCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "vault", Short: "See MEMORY.md and its history, and render it anew",
		Example: "  winnow vault status\n  cat \"$(winnow vault path --scope project:shop)/MEMORY.md\"",
	}, vaultStatus(a), vaultRebuild(a), vaultLog(a), vaultPath(a))
}

// withVault opens a session and the tenant's vault.
func withVault(a *command.App, cmd *cobra.Command, fn func(context.Context, *vault.Ops) error) error {
	return a.With(cmd, func(ctx context.Context, s *command.Session) error {
		if s.Vault == nil {
			return run.WithCode(run.ExitConfig, fmt.Errorf("vault.dir is not set: set WINNOW_VAULT_DIR to the folder that the index worker writes"))
		}
		v, err := s.Vault(s.Tenant)
		if err != nil {
			return err
		}
		layout := index.Layout.In(s.Config.Workers)
		return fn(ctx, vault.New(s.Store, v, s.Tenant, layout.Sections, layout.Vault.Lines, s.Now))
	})
}

func vaultStatus(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "How every MEMORY.md stands", Args: cobra.NoArgs, Example: "  winnow vault status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withVault(a, cmd, func(ctx context.Context, v *vault.Ops) error {
				list, err := v.Status(ctx)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) { printVault(a, w, list) })
			})
		},
	}
}

func printVault(a *command.App, w io.Writer, list []vault.Scope) {
	if len(list) == 0 {
		a.Say("nothing is in the vault yet")
		return
	}
	var rows [][]string
	for _, s := range list {
		at := "never"
		if !s.At.IsZero() {
			at = s.At.Local().Format(command.DateTime)
		}
		version := strconv.FormatInt(s.Shown, 10) + " of " + strconv.FormatInt(s.Version, 10)
		rows = append(rows, []string{s.Scope, vaultState(s), strconv.Itoa(s.Lines), version, at, command.Short(s.Commit, 11), s.File})
	}
	command.Table(w, []string{"SCOPE", "STATE", "LINES", "VERSION", "COMMITTED", "COMMIT", "FILE"}, rows)
	for _, s := range list {
		if s.Problem != "" {
			a.Say("%s: %s", s.Scope, strings.ReplaceAll(s.Problem, "\n", "; "))
		}
	}
}

func vaultState(s vault.Scope) string {
	switch {
	case s.Problem != "":
		return "problem"
	case len(s.Unread) > 0:
		return "edited by hand"
	case s.Current:
		return "current"
	}
	return "behind"
}

func vaultRebuild(a *command.App) *cobra.Command {
	var scope string
	var fresh bool
	cmd := &cobra.Command{
		Use: "rebuild", Short: "Render every MEMORY.md from the database", Args: cobra.NoArgs,
		Long: "Render every MEMORY.md from the database, which loses nothing when the folder is\n" +
			"lost. Hand edits that were not read yet are kept; their scope is left as it is.\n" +
			"With --fresh the repository's history is begun anew: what the files said before is\n" +
			"gone from it, as after winnow forget.",
		Example: "  winnow vault rebuild\n  winnow vault rebuild --scope project:shop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if fresh && scope != "" {
				return command.Usagef("--fresh is of the whole vault; leave --scope out")
			}
			return withVault(a, cmd, func(ctx context.Context, v *vault.Ops) error {
				bar := a.Bar(-1, "rebuild")
				step := func(done, of int) {
					bar.ChangeMax(of)
					_ = bar.Set(done)
				}
				var done vault.Rebuilt
				var err error
				if fresh {
					done, err = v.Restart(ctx, step)
				} else {
					done, err = v.Rebuild(ctx, scope, step)
				}
				_ = bar.Finish()
				if shown := a.Show(done, func(w io.Writer) {
					fmt.Fprintf(w, "%d written, %d were right already\n", done.Written, done.Same)
				}); shown != nil {
					return shown
				}
				for _, f := range done.Failed {
					a.Say("%s: %s", f.Scope, f.Problem)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only this one")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "and begin the history anew")
	return cmd
}

func vaultLog(a *command.App) *cobra.Command {
	var scope string
	var limit int
	cmd := &cobra.Command{
		Use: "log", Short: "Who changed MEMORY.md, and for which decisions", Args: cobra.NoArgs,
		Example: "  winnow vault log --scope project:shop --limit 5",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return command.Usagef("--limit wants 1 or more")
			}
			return withVault(a, cmd, func(_ context.Context, v *vault.Ops) error {
				list, err := v.Log(scope, limit)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, e := range list {
						span := ""
						if e.First != "" {
							span = e.First + ".." + e.Last
						}
						rows = append(rows, []string{command.Short(e.Commit, 11), e.At.Local().Format(command.DateTime), e.Author, e.Subject, span})
					}
					command.Table(w, []string{"COMMIT", "AT", "BY", "WHAT", "DECISIONS"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only commits of this one")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many, newest first")
	return cmd
}

func vaultPath(a *command.App) *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: "path", Short: "Where the vault is", Args: cobra.NoArgs,
		Example: "  cd \"$(winnow vault path)\" && git log",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withVault(a, cmd, func(_ context.Context, v *vault.Ops) error {
				path, err := v.Path(scope)
				if err != nil {
					return err
				}
				return a.ShowWhole(map[string]string{"path": path}, func(w io.Writer) { fmt.Fprintln(w, path) })
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "the folder of this one")
	return cmd
}
