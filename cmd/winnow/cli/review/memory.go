package review

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

func memoryCommand(a *command.App) *cobra.Command {
	get := &cobra.Command{
		Use: "get ID", Short: "Show one memory", Example: "  winnow memory get mem_…", Args: command.Exact("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				m, err := s.Ops.Store.Memory(ctx, s.Tenant, args[0])
				if err != nil {
					return err
				}
				return a.Show(m, func(w io.Writer) {
					fmt.Fprintf(w, "%s  %s, %s under %q in %s, confidence %.2f\n%s\n", m.ID, m.State, m.Kind, m.Section, m.Scope, m.Confidence, m.Text)
				})
			})
		},
	}
	history := &cobra.Command{
		Use: "history ID", Short: "What it replaced and what replaced it", Example: "  winnow memory history mem_…", Args: command.Exact("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				chain, err := s.Ops.History(ctx, args[0])
				if err != nil {
					return err
				}
				return a.Show(chain, func(w io.Writer) {
					for _, m := range chain {
						fmt.Fprintf(w, "%s  %-8s %s  %q\n", m.CreatedAt.Format("2006-01-02"), m.State, m.ID, command.Short(m.Text, 90))
					}
				})
			})
		},
	}
	edit := &cobra.Command{
		Use: "edit ID TEXT", Short: "Store other words in its place, as written by you", Args: command.Exact("ID", "TEXT"),
		Example: "  winnow memory edit mem_… \"the gateway listens on 8443\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				id, err := s.Ops.Edit(ctx, args[0], args[1])
				if err != nil {
					return err
				}
				return a.Show(map[string]string{"memory": id, "replaced": args[0]}, func(w io.Writer) {
					fmt.Fprintf(w, "%s in place of %s\n", id, args[0])
				})
			})
		},
	}
	var reason string
	archive := &cobra.Command{
		Use: "archive ID", Short: "Take it out of service", Example: "  winnow memory archive mem_… --reason \"project closed\"", Args: command.Exact("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				id, err := s.Ops.Archive(ctx, args[0], reason)
				if err != nil {
					return err
				}
				return a.Show(map[string]string{"decision": id}, func(w io.Writer) {
					fmt.Fprintf(w, "%s archived   take back: winnow undo %s\n", args[0], id)
				})
			})
		},
	}
	archive.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return command.Sub(&cobra.Command{Use: "memory", Short: "Look at memories and change them", Example: "  winnow memory list --scope project:shop"},
		get, memoryList(a), history, edit, archive)
}

func memoryList(a *command.App) *cobra.Command {
	var scope string
	var archived bool
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List memories, newest first", Args: cobra.NoArgs,
		Example: "  winnow memory list --scope project:shop\n  winnow memory list --archived --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.Memories(ctx, scope, archived, limit)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, m := range list {
						rows = append(rows, []string{m.ID, string(m.State), string(m.Scope), string(m.Kind), strconv.Itoa(m.SeenCount), command.Short(m.Text, 70)})
					}
					command.Table(w, []string{"ID", "STATE", "SCOPE", "KIND", "SEEN", "TEXT"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only this scope")
	cmd.Flags().BoolVar(&archived, "archived", false, "archived ones too")
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many")
	return cmd
}

func undoCommand(a *command.App) *cobra.Command {
	var cascade bool
	cmd := &cobra.Command{
		Use: "undo ID", Short: "Take a decision back", Args: command.Exact("ID"),
		Long:    "ID is a decision's, or a proposal's or memory's, which means the decision in\nforce on it. An undo is a new decision; nothing is deleted.",
		Example: "  winnow undo dec_…\n  winnow undo mem_… --cascade",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				done, err := s.Ops.Undo(ctx, args[0], cascade)
				if err != nil {
					return err
				}
				return a.Show(done, func(w io.Writer) {
					fmt.Fprintf(w, "took back %d decision(s): %d back in review, %d archived, %d restored\n",
						len(done.Undid), len(done.ToReview), len(done.Archived), len(done.Restored))
				})
			})
		},
	}
	cmd.Flags().BoolVar(&cascade, "cascade", false, "take back what rests on it too")
	return cmd
}
