package develop

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalRetrieval(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	o := eval.RetrievalOptions{Open: run.ScratchIndex}
	cmd := &cobra.Command{
		Use: "retrieval", Short: "Score search on questions with labelled evidence", Args: cobra.NoArgs,
		Example: "  winnow eval retrieval --data conversations.json --json --items ranked.jsonl\n" +
			"  winnow eval retrieval --data conversations.json --embedder openai \\\n" +
			embedFlags,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Embedder, err = measuring(a, embedder); err != nil {
				return err
			}
			if embedder != "none" {
				o.Words = run.WordTable()
			}
			report, err := eval.Retrieval(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printRetrievalReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "file of conversations or of lines with labelled questions")
	cmd.Flags().StringVar(&items, "items", "", "write each question with its ranked ids as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	cmd.Flags().StringVar(&embedder, "embedder", "static", embedderHelp)
	cmd.Flags().StringVar(&o.Fusion, "fusion", "weighted", "weighted or rrf")
	cmd.Flags().BoolVar(&o.Deep, "deep", false, "search with the depth of a deep search")
	cmd.Flags().BoolVar(&o.Pool, "pool", false, "write the signs of every candidate to --items too, to fit weights from")
	cmd.Flags().BoolVar(&o.Alone, "alone", false, "ignore what stands beside a text")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printRetrievalReport(w io.Writer, r *eval.RetrievalReport) {
	fmt.Fprintf(w, "%d questions, recall@10 %.3f (95 %% %.3f–%.3f), %s, %s\n",
		r.N, r.Metrics.Recall10, r.Intervals["recall_at_10"].Low, r.Intervals["recall_at_10"].High, r.Embedder, r.Fusion)
	fmt.Fprintf(w, "the floor of relevance emptied %d of %d questions with an answer, %d of %d without\n",
		r.Floor.EmptiedAnswerable, r.N, r.Floor.EmptiedUnanswerable, r.Floor.Unanswerable)
	row := func(name string, n int, m eval.RetrievalMetrics) []string {
		return []string{name, fmt.Sprint(n), fmt.Sprintf("%.3f", m.Recall5), fmt.Sprintf("%.3f", m.Recall10), fmt.Sprintf("%.3f", m.NDCG10), fmt.Sprintf("%.3f", m.MRR)}
	}
	var rows [][]string
	for _, group := range []map[string]eval.RetrievalCategory{r.ByCategory, r.ByStore} {
		var names []string
		for name := range group {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			rows = append(rows, row(name, group[name].N, group[name].RetrievalMetrics))
		}
	}
	rows = append(rows, row("all", r.N, r.Metrics))
	command.Table(w, []string{"GROUP", "N", "RECALL@5", "RECALL@10", "NDCG@10", "MRR"}, rows)
}
