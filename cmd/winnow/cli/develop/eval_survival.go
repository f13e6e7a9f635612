package develop

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval/survival"
	"github.com/winnowhq/winnow/services/run"
)

func evalSurvival(a *command.App) *cobra.Command {
	var baseline, embedder string
	var o survival.Options
	cmd := &cobra.Command{
		Use: "survival", Short: "Simulate a year of weekly runs by a model that errs, and a month of junk", Args: cobra.NoArgs,
		Example: "  winnow eval survival --json\n" +
			"  winnow eval survival --misjudging 0.2 --weeks 104",
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			report, err := survival.Simulate(o)
			if err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printSurvivalReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().Uint64Var(&o.Seed, "seed", 0, "seed of the simulation (default: that of the documents)")
	cmd.Flags().IntVar(&o.Weeks, "weeks", 0, "weekly runs (default: 52)")
	cmd.Flags().IntVar(&o.Days, "days", 0, "days of proposals (default: 32)")
	cmd.Flags().Float64Var(&o.Misjudging, "misjudging", 0, "share of the model's judgements that are wrong, 0–1 (default: 0.05)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	return cmd
}

func printSurvivalReport(w io.Writer, r *survival.Report) {
	y, m := r.Year, r.Month
	fmt.Fprintf(w, "%d weekly runs by a model that is wrong in %.0f %% of %d judgements\n", y.Runs, 100*y.Misjudging, y.Judgements)
	fmt.Fprintf(w, "  rows deleted: %d of %d; restorable: %.1f %%; undoing all runs gives back the originals: %v\n", y.RowsDeleted, y.Originals, 100*y.Restorable, y.UndoEqual)
	fmt.Fprintf(w, "  merged: %d into %d; archived without a successor: %d; refused: %d; left to a person: %d; runs skipped: %d\n",
		y.Merged, y.Created, y.Archived, y.Refused, y.Left, y.Skipped)
	fmt.Fprintf(w, "  most that a run used of its erosion budget: %.0f %%, a month: %.0f %%\n", 100*y.WorstRun, 100*y.WorstMonth)
	fmt.Fprintf(w, "  of what is needed %.0f %% is in service; %d memories wait for a person to restore them\n", 100*y.NeededInService, y.NeededArchived)
	fmt.Fprintf(w, "%d days, %d proposals, %.0f %% of them junk\n", m.Days, m.Proposals, 100*m.JunkOffered)
	fmt.Fprintf(w, "  junk among the %d memories: %.1f %%; facts stored: %.0f %% of %d\n", m.Active, 100*m.JunkShare, 100*m.FactsStored, m.Facts)
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(m.PerClass)) {
		c := m.PerClass[name]
		rows = append(rows, []string{name, fmt.Sprint(c.Proposals), fmt.Sprint(c.Promoted), fmt.Sprint(c.Review), fmt.Sprint(c.Dropped)})
	}
	command.Table(w, []string{"SENT", "PROPOSALS", "PROMOTED", "WAITING", "DROPPED"}, rows)
}
