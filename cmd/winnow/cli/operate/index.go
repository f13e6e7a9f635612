package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/ops/index"
)

func indexCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "index", Short: "The similarity index: where it stands, and filling it again",
		Example: "  winnow index status\n  winnow index rebuild      # from Postgres; searches go on meanwhile\n" +
			"  winnow index reembed --model static",
	}, indexStatus(a), indexFill(a, "reconcile", "Repair what differs between the index and Postgres",
		"Compares versions and writes what the index lacks or has older.", index.Reconcile),
		indexFill(a, "rebuild", "Fill a new generation from Postgres and switch to it",
			"The old generation serves until the new one is whole. Interrupted, run it again.", index.Rebuild),
		indexReembed(a))
}

func indexStatus(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Which model serves, how much is indexed, how far it is behind", Args: cobra.NoArgs,
		Example: "  winnow index status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				status, err := index.Status(ctx, s.Ops)
				if err != nil {
					return err
				}
				return a.Show(status, func(w io.Writer) { printIndexStatus(w, status) })
			})
		},
	}
}

func printIndexStatus(w io.Writer, s index.State) {
	if s.Generation > 0 {
		fmt.Fprintf(w, "generation  %d\nmodel       %s (%d numbers)\nwords       %s\ndocuments   %d, %d removed\nbehind      %s\n",
			s.Generation, s.Model, s.Dim, s.Analyzer, s.Documents, s.Removed, s.Behind)
	}
	fmt.Fprintf(w, "embedder    %s\n", s.Embedder)
	printPoints(w, s.Points)
	if s.Problem != "" {
		fmt.Fprintf(w, "problem     %s\n            %s\n", s.Problem, s.Remedy)
	}
}

// printPoints prints the operating points of a model, if any.
func printPoints(w io.Writer, p *index.Points) {
	if p != nil {
		fmt.Fprintf(w, "points      duplicate %.3f, cluster %.3f, loose %.3f (%s: %s)\n", p.Duplicate, p.Cluster, p.Loose, p.Calibration, p.Source)
	}
}

func indexFill(a *command.App, use, summary, long string, fill func(context.Context, *ops.Ops, func(index.Reconciled)) (index.Reconciled, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: summary, Long: long, Example: "  winnow index " + use, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				bar := a.Bar(-1, use)
				done, err := fill(ctx, s.Ops, func(r index.Reconciled) { _ = bar.Set(r.Compared) })
				_ = bar.Finish()
				if err != nil {
					return err
				}
				return a.Show(done, func(w io.Writer) {
					fmt.Fprintf(w, "%d compared, %d written, %d removed\n", done.Compared, done.Written, done.Removed)
				})
			})
		},
	}
}
