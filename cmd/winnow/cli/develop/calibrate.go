package develop

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/ops/index"
)

// calibration holds the flags of one call of winnow calibrate.
type calibration struct {
	pairs        string // file with pairs; empty for the shipped pairs
	fromMemories bool
	embedder     string
	save         bool
}

func calibrateCommand(a *command.App) *cobra.Command {
	var c calibration
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Find out what the similarities of an embedder mean", Args: cobra.NoArgs,
		Long: "From which cosine on two texts say the same, belong to one theme, or are about\n" +
			"the same thing, for the model that is configured. Without a file that is found\n" +
			"on pairs that come with Winnow, and needs no server.\n\n" +
			"Your own pairs are best: one JSON object a line with a, b, label (1 says the\n" +
			"same) and kind. Where nobody has labelled any, --from-memories looks at pairs\n" +
			"of your own memories; such points sort and flag, and nobody acts on them.",
		Example: "  winnow calibrate\n" +
			"  winnow calibrate --pairs pairs.jsonl --json\n" +
			"  winnow calibrate --pairs pairs.jsonl --save       # in force from now on\n" +
			"  winnow calibrate --from-memories\n" +
			"  winnow calibrate --embedder openai --embed-model nomic-embed-text \\\n" +
			"    --embed-url http://localhost:11434/v1 --embed-dim 768",
		RunE: func(cmd *cobra.Command, _ []string) error { return calibrated(a, cmd, c) },
	}
	cmd.Flags().StringVar(&c.pairs, "pairs", eval.ShippedPairs, "file of labelled pairs, or the ones that come with Winnow")
	cmd.Flags().BoolVar(&c.fromMemories, "from-memories", false, "use the tenant's memories instead, which need no labels")
	cmd.Flags().StringVar(&c.embedder, "embedder", "", embedderHelp+" (default: embed.model)")
	cmd.Flags().BoolVar(&c.save, "save", false, "put the points in force for the tenant and this model")
	cmd.Flags().StringVar(&c.pairs, "data", eval.ShippedPairs, "")
	_ = cmd.Flags().MarkDeprecated("data", "use --pairs")
	cmd.MarkFlagsMutuallyExclusive("pairs", "from-memories")
	return cmd
}

// calibrated derives points, stores them on request, and prints them.
func calibrated(a *command.App, cmd *cobra.Command, c calibration) error {
	cfg, err := a.Settings()
	if err != nil {
		return err
	}
	e, err := cfg.MeasuringEmbedder(c.embedder)
	if err != nil {
		return err
	}
	if c.fromMemories {
		return a.With(cmd, func(ctx context.Context, s *command.Session) error {
			report, err := index.CalibrateFromMemories(ctx, s.Ops, e)
			if err != nil {
				return err
			}
			if c.save {
				if err := storePoints(ctx, a, s, report.Model, report.Source, report.Points, report); err != nil {
					return err
				}
			}
			return a.Show(report, func(w io.Writer) { printAnchors(w, report) })
		})
	}
	report, err := eval.Calibrate(cmd.Context(), c.pairs, e)
	if err != nil {
		return err
	}
	if c.save {
		keep := func(ctx context.Context, s *command.Session) error {
			return storePoints(ctx, a, s, report.Model, index.SourcePairs, report.Points, report)
		}
		if err := a.With(cmd, keep); err != nil {
			return err
		}
	}
	return a.Show(report, func(w io.Writer) { printCalibration(w, report) })
}

func storePoints(ctx context.Context, a *command.App, s *command.Session, model, source string, p eval.Points, report any) error {
	id, err := index.KeepCalibration(ctx, s.Ops, model, source, p, report)
	if err == nil {
		a.Say("in force for %s as %s", model, id)
	}
	return err
}

func printCalibration(w io.Writer, r *eval.CalibrationReport) {
	fmt.Fprintf(w, "%s on %d pairs (%s), %d of which say the same\n", r.Model, r.Pairs, r.Source, r.Same)
	printMeasured(w, r.Points)
	if r.Wide {
		fmt.Fprintf(w, "The cluster point may lie anywhere from %.3f to %.3f: more labelled pairs would help.\n", r.SpreadLow, r.SpreadHigh)
	}
	printChecked(w, r.Checked)
}

func printAnchors(w io.Writer, r *index.AnchorReport) {
	fmt.Fprintf(w, "%s on %d memories: %d pairs by chance, %d of a text with itself\n", r.Model, r.Memories, r.Random, r.Jittered)
	var rows [][]string
	for _, p := range points(r.Points) {
		rows = append(rows, []string{p.name, fmt.Sprintf("%.3f", p.Threshold), "no: may flag, not act"})
	}
	command.Table(w, []string{"POINT", "ABOVE", "SURE"}, rows)
	printChecked(w, r.Checked)
}

// namedPoint is an operating point with its name.
type namedPoint struct {
	name string
	eval.Point
}

// points returns the points of a model, the strictest first.
func points(p eval.Points) []namedPoint {
	return []namedPoint{{"duplicate", p.Duplicate}, {"cluster", p.Cluster}, {"loose", p.Loose}}
}

func printMeasured(w io.Writer, all eval.Points) {
	var rows [][]string
	for _, p := range points(all) {
		sure := "yes"
		if !p.Sure {
			sure = "no: may flag, not act"
		}
		rows = append(rows, []string{p.name, fmt.Sprintf("%.3f", p.Threshold), fmt.Sprintf("%.3f", p.Precision), fmt.Sprintf("%.3f", p.Low), fmt.Sprintf("%.3f", p.Recall), sure})
	}
	command.Table(w, []string{"POINT", "ABOVE", "PRECISION", "AT LEAST", "RECALL", "SURE"}, rows)
}

// printChecked prints the quality of points on pairs that they were not derived
// from.
func printChecked(w io.Writer, checked map[string]eval.Checked) {
	if len(checked) == 0 {
		return
	}
	var rows [][]string
	for _, name := range []string{"duplicate", "cluster", "loose"} {
		c := checked[name]
		rows = append(rows, []string{name, fmt.Sprintf("%.3f", c.Precision), fmt.Sprintf("%.3f", c.Low), fmt.Sprintf("%.3f", c.Recall)})
	}
	fmt.Fprintln(w, "\non the pairs that come with Winnow:")
	command.Table(w, []string{"POINT", "PRECISION", "AT LEAST", "RECALL"}, rows)
}
