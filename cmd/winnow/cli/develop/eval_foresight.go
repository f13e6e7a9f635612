package develop

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/run"
)

func evalForesight(a *command.App) *cobra.Command {
	var data, embedder string
	cmd := &cobra.Command{
		Use: "foresight", Short: "Which errors of later sessions would an earlier lesson have spared?", Args: cobra.NoArgs,
		Long: "Reads the transcripts under a folder in the order of their ends, each folder directly\n" +
			"in it a project. Of each error that an earlier session of the project had solved, it\n" +
			"says whether the lesson of it would have been shown, at the start or at the error.",
		Example: "  winnow eval foresight --data ./sessions --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			o := local.AdoptOptions{Person: cfg.Person, Trust: ingest.Trust.In(cfg.Workers)}
			if o.Embedder, err = run.OfflineEmbedder(embedder); err != nil {
				return err
			}
			report, err := local.Foresight(cmd.Context(), data, o)
			if err != nil {
				return err
			}
			return a.Show(report, func(w io.Writer) {
				fmt.Fprintf(w, "%d sessions, %d errors, %d met before, %d of them solved, %d with a lesson of it\n",
					report.Sessions, report.Errors, report.Met, report.Solved, report.Taught)
				fmt.Fprintf(w, "foreseen: %d of %d (%s, 95 %% %.2f–%.2f), %d at the session's start already\n",
					report.Foreseen, report.Solved, figure(report.Share), report.Low, report.High, report.AtStart)
				var rows [][]string
				for _, c := range report.Cases {
					rows = append(rows, []string{c.Session, fmt.Sprint(c.Turn), c.Error, c.Earlier, fmt.Sprint(c.Solved), c.Shown})
				}
				command.Table(w, []string{"SESSION", "TURN", "ERROR", "EARLIER", "SOLVED", "SHOWN AT"}, rows)
			})
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of transcripts, or with a folder of them for each project")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "static, or none to compare by words alone")
	_ = cmd.MarkFlagRequired("data")
	return cmd
}
