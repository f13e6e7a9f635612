package review

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func reviewCommand(a *command.App) *cobra.Command {
	var plain bool
	var limit int
	var answer string
	cmd := &cobra.Command{
		Use: "review", Short: "Decide what needs a person", Args: cobra.NoArgs,
		Long: "On a terminal it shows one item after the other and waits for one key: y does\n" +
			"what is recommended (Enter too, where a registered source or a person said it),\n" +
			"p promotes, n rejects, e edits and promotes, s leaves it, u takes the last answer\n" +
			"back, q ends.\n\n" +
			"--reply answers the newest digest, or the one whose code it names, in one line:\n" +
			"ok, ok except 3n 5n, 1y 2n, 1-3y, 4: new text, later, undo. What is not\n" +
			"understood changes nothing and exits with 2.",
		Example: "  winnow review\n  winnow review --plain             # only list\n" +
			"  winnow review --reply \"ok except 3n\"\n" +
			"  winnow review decide prop_… reject --note \"out of date\"",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("reply") {
				return reply(a, cmd, answer)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				items, err := s.Ops.Waiting(ctx, "", limit)
				if err != nil {
					return err
				}
				if a.JSON || plain || !command.Terminal(a.In) || !command.Terminal(a.Out) {
					return a.Show(items, func(w io.Writer) { printItems(w, items) })
				}
				return ask(ctx, a, s.Ops, items)
			})
		},
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "list, ask nothing")
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many items")
	cmd.Flags().StringVar(&answer, "reply", "", "answer the digest with this line; - reads it from standard input")
	cmd.AddCommand(reviewList(a), reviewDecide(a))
	return cmd
}

func reviewList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what waits", Example: "  winnow review list --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				items, err := s.Ops.Waiting(ctx, "", 1000)
				if err != nil {
					return err
				}
				return a.Show(items, func(w io.Writer) { printItems(w, items) })
			})
		},
	}
}

func reviewDecide(a *command.App) *cobra.Command {
	var answer ops.Answer
	cmd := &cobra.Command{
		Use: "decide ID promote|reject|replace", Short: "Decide one item", Args: command.Exact("ID", "promote|reject|replace"),
		Example: "  winnow review decide prop_… promote\n  winnow review decide prop_… promote --text \"in better words\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch answer.Action = args[1]; answer.Action {
			case ops.ActionPromote, ops.ActionReject, ops.ActionReplace:
			default:
				return command.Usagef("answer %q: want promote, reject or replace", answer.Action)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				done, err := s.Ops.Decide(ctx, args[0], answer)
				if err != nil {
					return err
				}
				return a.Show(done, func(w io.Writer) { printAnswered(w, done) })
			})
		},
	}
	cmd.Flags().StringVar(&answer.Text, "text", "", "store this text instead, as written by you")
	cmd.Flags().StringVar(&answer.Section, "section", "", "put it under this heading")
	cmd.Flags().StringVar(&answer.Note, "note", "", "why, for the record")
	return cmd
}

func printAnswered(w io.Writer, d ops.Answered) {
	fmt.Fprintf(w, "%s %s", d.Proposal, d.Verdict)
	if d.Memory != "" {
		fmt.Fprintf(w, " as %s", d.Memory)
	}
	if d.Replaced != "" {
		fmt.Fprintf(w, " in place of %s", d.Replaced)
	}
	if len(d.Merged) > 0 {
		fmt.Fprintf(w, " in place of %s", strings.Join(d.Merged, ", "))
	}
	fmt.Fprintf(w, "   take back: winnow undo %s\n", d.Decision)
}

// printItems prints items in the seed's form (S3.28), by section.
func printItems(w io.Writer, items []ops.Item) {
	section := ""
	for i, item := range items {
		if item.Section != section || i == 0 {
			section = item.Section
			fmt.Fprintf(w, "%s%s\n", map[bool]string{true: "\n"}[i > 0], section)
		}
		printItem(w, i+1, item)
	}
	if len(items) == 0 {
		fmt.Fprintln(w, "nothing waits for you")
	}
}

func printItem(w io.Writer, n int, item ops.Item) {
	fmt.Fprintf(w, "%2d. [%s] %q — recommend: %s (%s)\n    %s · %s · %s\n",
		n, item.Section, command.Short(item.Text, 300), item.Advice, item.Reason, item.From, item.Scope, item.ID)
	if item.Against != "" {
		fmt.Fprintf(w, "    stored: %q\n", command.Short(item.Against, 300))
	}
	switch {
	case item.Rule == "contradiction":
		fmt.Fprintln(w, "    yes keeps the first in place of both, no keeps both")
	case len(item.Merges) > 0:
		fmt.Fprintf(w, "    merge these %d into it? %s\n", len(item.Merges), command.Short(strings.Join(item.Merges, "; "), 300))
	}
}
