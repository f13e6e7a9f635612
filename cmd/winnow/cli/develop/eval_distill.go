package develop

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/eval"
)

func evalDistill(a *command.App) *cobra.Command {
	var data, items, baseline, address, model string
	var o eval.DistillOptions
	cmd := &cobra.Command{
		Use: "distill", Short: "Draw lessons from traces and check them against their evidence", Args: cobra.NoArgs,
		Example: "  winnow eval distill --data ./traces --json --items memories.jsonl\n" +
			"  winnow eval distill --data session.jsonl --model-url http://localhost:11434/v1 --model qwen3:4b",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if address != "" {
				cfg, err := a.Settings()
				if err != nil {
					return err
				}
				if o.Model, err = cfg.MeasuringModel(distill.Definition, address, model); err != nil {
					return err
				}
				o.Distill = distill.Settings.In(cfg.Workers).Bounds
			}
			report, err := eval.Distill(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printDistillReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "trace, or folder of traces")
	cmd.Flags().StringVar(&items, "items", "", "write each memory with its evidence as a line of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure falls below this earlier report")
	cmd.Flags().StringVar(&address, "model-url", "", "ask a model at this OpenAI-compatible address instead of the rules")
	cmd.Flags().StringVar(&model, "model", "", "its name there (default: llm.model)")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printDistillReport(w io.Writer, r *eval.DistillReport) {
	m := r.Metrics
	fmt.Fprintf(w, "%d memories of %d sessions by %s: %.3f grounded, %.3f in form\n", m.Memories, m.Sessions, r.Distiller, m.Grounding, m.SchemaValidity)
	fmt.Fprintf(w, "not borne out and dropped: %d; out of form: %d; sessions left to rules: %d\n", m.Dropped, m.Refused, m.ByRules)
	var rows [][]string
	for _, s := range r.Sessions {
		rows = append(rows, []string{s.File, s.Format, s.Outcome, s.By, fmt.Sprint(s.Memories)})
	}
	command.Table(w, []string{"FILE", "FORMAT", "OUTCOME", "BY", "MEMORIES"}, rows)
	for _, item := range r.Items {
		fmt.Fprintf(w, "\n%s  %s, %s\n", item.ID, item.Kind, item.Authority)
		if item.Title != "" {
			fmt.Fprintf(w, "  %s\n", item.Title)
		}
		fmt.Fprintf(w, "  %s\n", item.Text)
	}
	for _, u := range r.Unreadable {
		fmt.Fprintf(w, "\n%s could not be read: %s\n", u.File, u.Why)
	}
}
