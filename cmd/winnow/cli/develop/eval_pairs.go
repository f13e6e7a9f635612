package develop

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
)

func evalPairs(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	cmd := &cobra.Command{
		Use: "pairs", Short: "Score how duplicates are told from other pairs", Args: cobra.NoArgs,
		Example: "  winnow eval pairs --data pairs.jsonl --json\n" +
			"  winnow eval pairs --data pairs.jsonl --embedder openai \\\n" +
			embedFlags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := measuring(a, embedder)
			if err != nil {
				return err
			}
			report, err := eval.Pairs(cmd.Context(), data, e)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printPairsReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "file of labelled pairs, one a line")
	cmd.Flags().StringVar(&items, "items", "", "write each pair's scores as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	cmd.Flags().StringVar(&embedder, "embedder", "static", embedderHelp)
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printPairsReport(w io.Writer, r *eval.PairsReport) {
	m := r.Metrics
	fmt.Fprintf(w, "%d pairs, %d say the same, average precision %.3f (95 %% %.3f–%.3f); cosine alone %s, words alone %.3f\n",
		r.N, r.Same, m.AP, r.Intervals["ap"].Low, r.Intervals["ap"].High, figure(m.APStatic), m.APLexical)
	fmt.Fprintf(w, "best F1 %.3f from %.3f on, recall at precision 0.95 %.3f, calibration error %.3f\n", m.BestF1, m.BestF1Score, m.RecallAtP95, m.Calibration)
	var names []string
	for name := range r.ByKind {
		names = append(names, name)
	}
	slices.Sort(names)
	var rows [][]string
	for _, name := range names {
		k := r.ByKind[name]
		rows = append(rows, []string{name, fmt.Sprint(k.N), fmt.Sprint(k.Label), fmt.Sprintf("%.3f", k.Mean), fmt.Sprint(k.Above)})
	}
	command.Table(w, []string{"KIND", "N", "LABEL", "MEAN SCORE", "CALLED THE SAME"}, rows)
}
