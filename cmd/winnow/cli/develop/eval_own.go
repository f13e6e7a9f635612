package develop

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/eval/own"
	"github.com/winnowhq/winnow/services/run"
)

func evalOwn(a *command.App) *cobra.Command {
	var data, errorsDir, baseline, embedder string
	o := own.Options{Retrieval: eval.RetrievalOptions{Open: run.ScratchIndex}}
	cmd := &cobra.Command{
		Use: "own", Short: "Score the hand-labelled sets for what goes wrong, each by the suite of its kind", Args: cobra.NoArgs,
		Long: "Scores " + strings.Join(own.Names(), ", ") + ".\n\n" +
			"DATA holds own/ with the sets, triage/ with the memories that some lean on, and\n" +
			"model_answers/ with the recorded answers to the sessions of traces/.",
		Example: "  winnow eval own --data ./testdata --json\n" +
			"  winnow eval own --data ./testdata --sets questions,siblings --errors wrong/",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Retrieval.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			if embedder != "none" {
				o.Retrieval.Words = run.WordTable()
			}
			report, err := own.Score(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			if err := writeErrors(errorsDir, report.Errors); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printOwnReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of the sets")
	cmd.Flags().StringSliceVar(&o.Sets, "sets", nil, "only these sets, separated by commas")
	cmd.Flags().StringVar(&errorsDir, "errors", "", "write what went wrong to this folder, a file of JSON lines for each set")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure with a bar is worse than in this earlier report")
	cmd.Flags().StringVar(&o.Policy, "policy", "", "shipped policy (default: the scope's)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

// writeErrors writes the lines of each set to a file of its name, if there is a folder to
// write to. A set without errors gets an empty file.
func writeErrors(dir string, wrong map[string][]any) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for set, lines := range wrong {
		if err := writeLines(filepath.Join(dir, set+".jsonl"), lines); err != nil {
			return err
		}
	}
	return nil
}

// printOwnReport prints the bars, and then all figures of each set.
func printOwnReport(w io.Writer, r *own.Report) {
	var rows [][]string
	for _, b := range r.Bars {
		want, met := fmt.Sprintf("≥ %.3g", b.Want), "no"
		if b.AtMost {
			want = fmt.Sprintf("≤ %.3g", b.Want)
		}
		if b.Holds() {
			met = "yes"
		}
		rows = append(rows, []string{b.Set, b.Figure, figure(b.Value), fmt.Sprint(b.N), want, met})
	}
	command.Table(w, []string{"SET", "FIGURE", "VALUE", "N", "BAR", "HOLDS"}, rows)
	if len(r.Absent) > 0 {
		fmt.Fprintf(w, "\nno data for %s\n", strings.Join(r.Absent, ", "))
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return
	}
	for _, set := range own.Names() {
		var figures map[string]any
		if all[set] == nil || json.Unmarshal(all[set], &figures) != nil {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", set)
		names := make([]string, 0, len(figures))
		for name := range figures {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			value, err := json.Marshal(figures[name])
			if err == nil {
				fmt.Fprintf(w, "  %-32s %s\n", name, value)
			}
		}
	}
}
