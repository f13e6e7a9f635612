package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

func (a *app) calibrate() *cobra.Command {
	var data, embedder string
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Find out what the similarities of an embedder mean", Args: cobra.NoArgs,
		Example: "  winnow calibrate --json\n  winnow calibrate --data pairs.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := run.OfflineEmbedder(embedder)
			if err != nil {
				return err
			}
			report, err := ops.Calibrate(cmd.Context(), data, e)
			if err != nil {
				return err
			}
			return a.show(report, func(w io.Writer) { printCalibration(w, report) })
		},
	}
	cmd.Flags().StringVar(&data, "data", ops.ShippedPairs, "file of labelled pairs, or the ones that come with Winnow")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static or none")
	return cmd
}

func printCalibration(w io.Writer, r *ops.CalibrationReport) {
	fmt.Fprintf(w, "%s on %d pairs (%s), %d of which say the same\n", r.Model, r.Pairs, r.Source, r.Same)
	var rows [][]string
	for _, p := range []struct {
		name      string
		threshold float64
		sure      bool
		precision float64
		low       float64
		recall    float64
	}{
		{"duplicate", r.Duplicate.Threshold, r.Duplicate.Sure, r.Duplicate.Precision, r.Duplicate.Low, r.Duplicate.Recall},
		{"cluster", r.Cluster.Threshold, r.Cluster.Sure, r.Cluster.Precision, r.Cluster.Low, r.Cluster.Recall},
		{"loose", r.Loose.Threshold, r.Loose.Sure, r.Loose.Precision, r.Loose.Low, r.Loose.Recall},
	} {
		sure := "yes"
		if !p.sure {
			sure = "no: may flag, not act"
		}
		rows = append(rows, []string{p.name, fmt.Sprintf("%.3f", p.threshold), fmt.Sprintf("%.3f", p.precision), fmt.Sprintf("%.3f", p.low), fmt.Sprintf("%.3f", p.recall), sure})
	}
	table(w, []string{"POINT", "ABOVE", "PRECISION", "AT LEAST", "RECALL", "SURE"}, rows)
	if r.Wide {
		fmt.Fprintf(w, "The cluster point may lie anywhere from %.3f to %.3f: more labelled pairs would help.\n", r.SpreadLow, r.SpreadHigh)
	}
}
