package develop

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "eval", Short: "Measure against labelled data", Example: "  winnow eval triage --data ./triage --json",
	}, evalTriage(a), evalRetrieval(a), evalPairs(a), evalClusters(a), evalConsolidation(a), evalSecurity(a), evalDistill(a), evalDrain(a), evalOwn(a), evalForesight(a), evalSurvival(a), evalWeekly(a))
}

func evalTriage(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	var o eval.TriageOptions
	cmd := &cobra.Command{
		Use: "triage", Short: "Score triage on labelled proposals", Args: cobra.NoArgs,
		Example: "  winnow eval triage --data ./triage --json --items verdicts.jsonl",
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			report, err := eval.Triage(data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printTriageReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder or file of labelled data")
	cmd.Flags().StringVar(&items, "items", "", "write each verdict as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	cmd.Flags().StringVar(&o.Policy, "policy", "", "shipped policy (default: the scope's)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printTriageReport(w io.Writer, r *eval.TriageReport) {
	m := r.Metrics
	fmt.Fprintf(w, "%d proposals, macro-F1 %.3f, severe errors %d, left to a person %.0f %%\n",
		r.N, m.MacroF1, m.Severe, 100*(1-m.Coverage))
	var names []string
	for name := range r.PerClass {
		names = append(names, name)
	}
	slices.Sort(names)
	var rows [][]string
	for _, name := range names {
		c := r.PerClass[name]
		rows = append(rows, []string{name, fmt.Sprint(c.N), fmt.Sprint(c.Predicted), figure(c.Precision), figure(c.Recall), fmt.Sprintf("%.3f", c.F1)})
	}
	command.Table(w, []string{"ACTION", "LABELLED", "DECIDED", "PRECISION", "RECALL", "F1"}, rows)
}

func figure(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *f)
}

// regressionTolerance is the largest decrease of a figure that is not a
// regression: one item of two hundred.
const regressionTolerance = 0.005

// regressions compares a report with an earlier one in the named file, if any.
func regressions[R any](report interface{ Regressions(*R, float64) []string }, baseline string) error {
	if baseline == "" {
		return nil
	}
	text, err := os.ReadFile(baseline)
	if err != nil {
		return err
	}
	var before R
	if err := json.Unmarshal(text, &before); err != nil {
		return fmt.Errorf("%s: %w", baseline, err)
	}
	if fell := report.Regressions(&before, regressionTolerance); len(fell) > 0 {
		return fmt.Errorf("worse than %s: %v", baseline, fell)
	}
	return nil
}

// writeLines writes JSON lines to the named file, if any.
func writeLines[T any](path string, items []T) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, it := range items {
		if err := enc.Encode(it); err != nil {
			_ = f.Close()
			return err
		}
	}
	return f.Close()
}
