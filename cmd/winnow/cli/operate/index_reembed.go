package operate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops/index"
)

func indexReembed(a *command.App) *cobra.Command {
	var model string
	cmd := &cobra.Command{
		Use: "reembed", Short: "Fill a new generation with another model and switch to it", Args: cobra.NoArgs,
		Long: "Vectors of two models are never compared, so the old model serves until every\n" +
			"memory has a vector of the new one and its thresholds are derived. A model that\n" +
			"does not answer changes nothing. Vectors that were made once are kept in\n" +
			"Postgres: interrupted, the same command goes on where it stopped.\n\n" +
			"Afterwards start every process with the new model; the last line says how.",
		Example: "  winnow index reembed --model static\n" +
			"  winnow index reembed --model nomic-embed-text --embed-url http://localhost:11434/v1 --embed-dim 768\n" +
			"  winnow index reembed --model text-embedding-3-small --embed-url https://api.openai.com/v1 \\\n" +
			"    --embed-dim 1536 --embed-key-file openai.key",
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := slices.ContainsFunc([]string{"embed-model", "embed-url", "embed-dim"}, cmd.Flags().Changed)
			return reembed(cmd.Context(), a, model, given)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "static, none, or a name that embed.url serves (default: embed.model)")
	return cmd
}

// reembedded is the command's output as data.
type reembedded struct {
	index.Reembedded
	// Settings lists the settings that processes need to search with the model;
	// empty when the configuration already has them.
	Settings string `json:"settings,omitempty"`
}

// reembed changes the model of the index. given means that the model's settings
// are flags of this command.
func reembed(ctx context.Context, a *command.App, model string, given bool) error {
	configured, err := a.Settings()
	if err != nil {
		return err
	}
	cfg, err := configured.WithModel(model)
	if err != nil {
		return err
	}
	s, err := command.OpenSession(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	bar := a.Bar(-1, "reembed")
	done, err := index.Reembed(ctx, s.Ops, func(r index.Reconciled) { _ = bar.Set(r.Compared) })
	_ = bar.Finish()
	if err != nil {
		return err
	}
	report := reembedded{Reembedded: done}
	if given || cfg.Embed.Model != configured.Embed.Model {
		report.Settings = cfg.ModelSettings()
	}
	return a.Show(report, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d compared, %d written, %d removed\n", done.Model, done.Compared, done.Written, done.Removed)
		printPoints(w, done.Points)
		if report.Settings != "" {
			fmt.Fprintf(w, "now start every process with\n  %s\n", report.Settings)
		}
	})
}
