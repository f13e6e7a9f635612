package develop

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalConsolidation(a *command.App) *cobra.Command {
	var data, items, baseline, embedder, address, model string
	o := eval.ConsolidationOptions{Open: run.ScratchIndex}
	cmd := &cobra.Command{
		Use: "consolidation", Short: "Merge memories that people merged, and score what is lost or invented", Args: cobra.NoArgs,
		Example: "  winnow eval consolidation --data ./consolidation --json --items merges.jsonl\n" +
			"  winnow eval consolidation --data ./consolidation --model-url http://localhost:11434/v1 --model qwen3:4b",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Embedder, err = measuring(a, embedder); err != nil {
				return err
			}
			if embedder != "none" {
				o.Words = run.WordTable()
			}
			if address != "" {
				cfg, err := a.Settings()
				if err != nil {
					return err
				}
				if o.Model, err = cfg.MeasuringModel(distill.Definition, address, model); err != nil {
					return err
				}
				o.Progress = func(line string) { a.Say("%s", line) }
			}
			report, err := eval.Consolidation(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printConsolidationReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder with entries.jsonl and groups.jsonl")
	cmd.Flags().StringVar(&o.Siblings, "siblings", "", "labelled pairs that must not be merged (default: siblings.jsonl there, or in ../own)")
	cmd.Flags().StringVar(&items, "items", "", "write each merge as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure is worse than in this earlier report")
	cmd.Flags().StringVar(&embedder, "embedder", "static", embedderHelp)
	cmd.Flags().StringVar(&address, "model-url", "", "have a model at this OpenAI-compatible address write the texts")
	cmd.Flags().StringVar(&model, "model", "", "its name there (default: llm.model)")
	cmd.Flags().BoolVar(&o.GivenOnly, "given", false, "merge the labelled groups only: no planning, nothing that must not be merged")
	cmd.Flags().DurationVar(&o.Within, "within", 0, "time that the model has; what it has not answered by then is joined without it (default: any)")
	cmd.Flags().IntVar(&o.Most, "groups", 0, "merge at most this many groups (default: all)")
	cmd.Flags().Float64Var(&o.Threshold, "threshold", 0, "cosine above which memories are on one theme (default: that of the shipped calibration)")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printConsolidationReport(w io.Writer, r *eval.ConsolidationReport) {
	m := r.Metrics
	fmt.Fprintf(w, "texts by %s, %s\n", r.By, r.Embedder)
	fmt.Fprintf(w, "details kept %.3f (in the text %.3f), invented %d, altered %d, length %.2f of the sources\n",
		m.SpecificsKept, m.SpecificsInText, m.Invented, m.Altered, m.Compression)
	fmt.Fprintf(w, "groups found: precision %.3f, recall %.3f, F1 %.3f\n", m.PairwisePrecision, m.PairwiseRecall, m.PairwiseF1)
	fmt.Fprintf(w, "merged although they must not be: %d of %d contradictions, %d of %d siblings; orders carried: %d of %d\n",
		m.ContradictionsMerged, r.Counts.Contradictions, m.SiblingsMerged, r.Counts.Siblings, r.Counts.InjectionsCarried, r.Counts.Injections)
	fmt.Fprintf(w, "recall@10 %.3f before, %.3f after; undo restores every byte: %t\n", m.Recall10Before, m.Recall10After, m.RestoreEqual)
	var rows [][]string
	for _, name := range []string{"given", "scratch"} {
		p := r.Parts[name]
		rows = append(rows, []string{name, fmt.Sprint(p.Groups), fmt.Sprint(p.Refused), fmt.Sprint(p.Specifics), fmt.Sprintf("%.3f", p.SpecificsInText),
			fmt.Sprintf("%.3f", p.SpecificsKept), fmt.Sprintf("%.2f", p.Compression), fmt.Sprint(p.Dropped), fmt.Sprint(p.Fallback),
			fmt.Sprintf("%.3f", p.Recall10Before), fmt.Sprintf("%.3f", p.Recall10After)})
	}
	command.Table(w, []string{"GROUPS", "N", "REFUSED", "DETAILS", "IN TEXT", "KEPT", "LENGTH", "DROPPED", "FALLBACK", "R@10 BEFORE", "AFTER"}, rows)
	if r.Prompt != "" {
		printMerges(w, r.Items)
	}
	if r.OutOfTime {
		fmt.Fprintln(w, "\nthe model did not answer all within its time; what it did not answer is joined without it")
	}
	if len(r.Counts.Failed) > 0 {
		fmt.Fprintf(w, "failed: %s\n", strings.Join(r.Counts.Failed, "; "))
	}
}

// printMerges shows what a model wrote and what the gate made of it.
func printMerges(w io.Writer, items []*eval.ConsolidationItem) {
	for _, item := range items {
		if item.Refused != "" {
			fmt.Fprintf(w, "\n%s: refused, %s\n", item.Group, item.Refused)
			continue
		}
		for n, answer := range item.Answers {
			fmt.Fprintf(w, "\n%s, answer %d of the model:\n  | %s\n", item.Group, n+1, strings.ReplaceAll(strings.TrimSpace(answer), "\n", "\n  | "))
		}
		fmt.Fprintf(w, "\n%s, after the gate: %d memories, by %s", item.Group, len(item.Sources), item.By)
		if item.Repaired {
			fmt.Fprint(w, ", asked again")
		}
		if item.Fallback {
			fmt.Fprint(w, "; the model's text failed")
		}
		fmt.Fprintf(w, "\n  %s\n  %s\n", item.Title, strings.ReplaceAll(item.Text, "\n", "\n  "))
		for _, f := range item.Dropped {
			fmt.Fprintf(w, "  dropped by %s (%s) %s\n", f.Rule, f.Detail, f.Sentence)
		}
	}
}
