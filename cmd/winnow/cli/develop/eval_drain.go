package develop

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalDrain(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	var o eval.DrainOptions
	cmd := &cobra.Command{
		Use: "drain", Short: "Replay a history of real entries: does the queue drain?", Args: cobra.NoArgs,
		Example: "  winnow eval drain --data history.jsonl --json\n" +
			"  winnow eval drain --data history.jsonl --kind strategy --baseline before.json",
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			report, err := eval.Drain(data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printDrainReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "file with one commit per line")
	cmd.Flags().StringVar(&items, "items", "", "write each verdict as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure is worse than in this earlier report")
	cmd.Flags().StringVar((*string)(&o.Kind), "kind", "", "kind that the publisher gives the entries, such as strategy for lessons (default: triage recognises it)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printDrainReport(w io.Writer, r *eval.DrainReport) {
	fmt.Fprintf(w, "%d entries in %d weeks: %.1f a week for a person, %d in the worst; backlog %d, at worst %d; %d expired\n",
		r.N, len(r.Weeks), r.PerWeek, r.WorstWeek, r.Backlog, r.WorstWait, r.Expired)
	fmt.Fprintf(w, "%d promoted without a person; after 30 days %s of %d still stand, %s word for word\n",
		r.Promoted, figure(r.Survival), r.Judged, figure(r.StrictAlive))
	fmt.Fprintf(w, "assumes %s\n", r.Assumes)
	var rows [][]string
	for _, k := range r.Weeks {
		rows = append(rows, []string{k.Monday, fmt.Sprint(k.Proposals), fmt.Sprint(k.Promoted), fmt.Sprint(k.Rejected), fmt.Sprint(k.Merged), fmt.Sprint(k.Review), fmt.Sprint(k.Backlog)})
	}
	command.Table(w, []string{"WEEK OF", "PROPOSED", "PROMOTED", "REJECTED", "MERGED", "TO A PERSON", "BACKLOG"}, rows)
}
