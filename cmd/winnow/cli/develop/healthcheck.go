package develop

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/run"
)

func healthcheckCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Is the process here ready? Silent when it is", Args: cobra.NoArgs,
		Example: "  winnow healthcheck --http-addr=127.0.0.1:9090",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if located, found, err := run.Locate(cfg); err == nil && found {
				cfg = located
			}
			return run.Healthcheck(cmd.Context(), cfg)
		},
	}
}
