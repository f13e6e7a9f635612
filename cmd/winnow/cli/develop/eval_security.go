package develop

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/run"
)

func evalSecurity(a *command.App) *cobra.Command {
	var data, items, baseline, embedder string
	var o eval.SecurityOptions
	cmd := &cobra.Command{
		Use: "security", Short: "Score redaction and the gates on hostile and harmless text", Args: cobra.NoArgs,
		Example: "  winnow eval security --data ./security --json\n" +
			"  winnow eval security --data ./security --benign memories.jsonl --items wrong.jsonl",
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			report, err := eval.Security(data, o)
			if err != nil {
				return err
			}
			if err := writeLines(items, report.Items); err != nil {
				return err
			}
			if err := a.Show(report, func(w io.Writer) { printSecurityReport(w, report) }); err != nil {
				return err
			}
			return regressions(report, baseline)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder or file of labelled secrets and injections")
	cmd.Flags().StringVar(&o.Benign, "benign", "", "file of harmless texts, a line of JSON with a text each")
	cmd.Flags().StringVar(&items, "items", "", "write what went wrong, and every injection, as lines of JSON to this file")
	cmd.Flags().StringVar(&baseline, "baseline", "", "fail when a figure is worse than in this earlier report")
	cmd.Flags().StringVar(&o.Policy, "policy", "", "shipped policy (default: the scope's)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}

func printSecurityReport(w io.Writer, r *eval.SecurityReport) {
	m := r.Metrics
	fmt.Fprintf(w, "secrets: %s of %d spans gone; %s of %d clean lines taken for one\n", figure(m.SecretRecall), r.N.Secrets, figure(m.CleanFalse), r.N.Clean)
	fmt.Fprintf(w, "injections: %d promoted, of %d by every channel\n", m.Promoted, r.N.Injections)
	fmt.Fprintf(w, "harmless texts: %s of %d quarantined, %s redacted\n", figure(m.BenignQuarantined), r.N.Benign, figure(m.BenignRedacted))
	var rows [][]string
	for _, v := range slices.Sorted(maps.Keys(r.ByVerdict)) {
		rows = append(rows, []string{v, fmt.Sprint(r.ByVerdict[v])})
	}
	command.Table(w, []string{"INJECTIONS", "N"}, rows)
}
