package operate

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func reviewerCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "reviewer", Short: "Maintain whose questions go to whom",
		Long: "Every scope's questions go to one person's digest. What nobody is registered\n" +
			"for goes to the reviewer without a scope, else to digest.reviewer, else to you.",
		Example: "  winnow reviewer list\n  winnow reviewer add anna --scope project:shop --language de",
	}, reviewerAdd(a), reviewerList(a), reviewerRemove(a))
}

func reviewerAdd(a *command.App) *cobra.Command {
	var scope, language string
	cmd := &cobra.Command{
		Use: "add PRINCIPAL", Short: "Give a scope's questions to a person", Args: command.Exact("PRINCIPAL"),
		Example: "  winnow principal add anna --highest human\n  winnow reviewer add anna --scope project:shop\n" +
			"  winnow reviewer add local --language de      # everything that nobody else has",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				r := ops.Reviewer{Principal: args[0], Scope: ops.Scope(scope), Language: language}
				before, err := s.Ops.AddReviewer(ctx, r)
				if err != nil {
					return err
				}
				if before != "" {
					a.Say("%s had %s until now", before, scopeWords(scope))
				}
				return a.Show(r, func(w io.Writer) { fmt.Fprintf(w, "%s gets %s\n", r.Principal, scopeWords(scope)) })
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "such as project:shop (default: every scope that nobody else has)")
	cmd.Flags().StringVar(&language, "language", "", "of their digest: en or de (default: digest.language)")
	return cmd
}

func scopeWords(scope string) string { return cmp.Or(scope, "what nobody else has") }

func reviewerList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List who reviews what", Args: cobra.NoArgs, Example: "  winnow reviewer list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.Reviewers(ctx)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					rest := s.Ops.Digest.Reviewer
					for _, r := range list {
						if r.Scope == "" {
							rest = ""
						}
						rows = append(rows, []string{r.Principal, scopeWords(string(r.Scope)), r.Language})
					}
					if rest != "" {
						rows = append(rows, []string{rest, scopeWords("") + ", by the settings", ""})
					}
					command.Table(w, []string{"REVIEWER", "SCOPE", "LANGUAGE"}, rows)
				})
			})
		},
	}
}

func reviewerRemove(a *command.App) *cobra.Command {
	var scopes []string
	cmd := &cobra.Command{
		Use: "remove PRINCIPAL", Short: "Take a reviewer's scopes from them", Args: command.Exact("PRINCIPAL"),
		Example: "  winnow reviewer remove anna\n  winnow reviewer remove anna --scope project:shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.RemoveReviewer(ctx, args[0], scopes...)
				if err != nil {
					return err
				}
				a.Say("%d removed", n)
				return nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&scopes, "scope", nil, "only these (default: all)")
	return cmd
}
