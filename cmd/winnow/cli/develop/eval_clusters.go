package develop

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalClusters(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	var o eval.ClustersOptions
	cmd := &cobra.Command{
		Use: "clusters", Short: "Score how texts that say the same are grouped", Args: cobra.NoArgs,
		Long: "Groups texts and compares the groups with labels: a file has a text and its\n" +
			"cluster a line. A folder has consolidations that people approved (entries.jsonl,\n" +
			"groups.jsonl, distractors.jsonl); there the themes that a run would offer are scored.",
		Example: "  winnow eval clusters --data clusters.jsonl --json\n" +
			"  winnow eval clusters --data consolidation/ --json\n" +
			"  winnow eval clusters --data clusters.jsonl --embedder openai \\\n" +
			embedFlags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Embedder, err = measuring(a, embedder); err != nil {
				return err
			}
			if info, err := os.Stat(data); err == nil && info.IsDir() {
				return evalThemes(cmd.Context(), a, data, items, baseline, o.Embedder)
			}
			report, err := eval.Clusters(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printClustersReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "file of texts with their cluster, one a line, or a folder of consolidations")
	cmd.Flags().StringVar(&items, "items", "", "write each text's groups as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	cmd.Flags().StringVar(&embedder, "embedder", "static", embedderHelp)
	cmd.Flags().Float64Var(&o.Threshold, "threshold", 0, "cosine above which texts are similar (default: that of the shipped calibration)")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printClustersReport(w io.Writer, r *eval.ClustersReport) {
	fmt.Fprintf(w, "%d texts, similar above %.3f, %s\n", r.N, r.Threshold, r.Embedder)
	var rows [][]string
	row := func(name string, m eval.ClusterMetrics) {
		rows = append(rows, []string{name, fmt.Sprintf("%.3f", m.PairwiseF1), fmt.Sprintf("%.3f", m.B3), fmt.Sprint(m.Groups), fmt.Sprintf("%.3f", m.Largest)})
	}
	row("complete link", r.Metrics)
	row("greedy", r.Greedy)
	row("all alone", r.Singletons)
	for _, s := range r.Sweep {
		rows = append(rows, []string{fmt.Sprintf("complete link at %.2f", s.Threshold), fmt.Sprintf("%.3f", s.PairwiseF1), fmt.Sprintf("%.3f", s.B3), "", fmt.Sprintf("%.3f", s.Largest)})
	}
	command.Table(w, []string{"GROUPING", "PAIRWISE F1", "B³", "GROUPS", "LARGEST"}, rows)
}

func evalThemes(ctx context.Context, a *command.App, data, items, baseline string, e run.Embedder) error {
	report, err := eval.Themes(ctx, data, e)
	if err != nil {
		return err
	}
	if err := writeLines(items, report.Items); err != nil {
		return err
	}
	if err := a.Show(report, func(w io.Writer) { printThemesReport(w, report) }); err != nil {
		return err
	}
	return regressions(report, baseline)
}

func printThemesReport(w io.Writer, r *eval.ThemesReport) {
	fmt.Fprintf(w, "%d texts, themes as a run would offer them, %s\n", r.N, r.Embedder)
	var rows [][]string
	row := func(name string, m eval.ThemeMetrics) {
		rows = append(rows, []string{
			name, fmt.Sprintf("%.3f", m.PairwiseF1), fmt.Sprintf("%.3f", m.PairwisePrecision), fmt.Sprintf("%.3f", m.PairwiseRecall),
			fmt.Sprint(m.Groups), fmt.Sprint(m.Merged),
		})
	}
	for _, run := range r.Runs {
		row(run.Batch, run.ThemeMetrics)
	}
	row("all", r.Metrics)
	row("with inferred groups", r.Inferred)
	row("without those that stayed", r.Batch)
	command.Table(w, []string{"CONSOLIDATION", "PAIRWISE F1", "PRECISION", "RECALL", "GROUPS", "BY THE ENGINE"}, rows)
}
