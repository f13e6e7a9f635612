package operate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

// natsConfigCommand prints a NATS server's configuration. The command needs no
// installation: the rights of users follow from the topology of this binary.
func natsConfigCommand(a *command.App) *cobra.Command {
	access := run.BusAccess{Workers: fleet.All}
	cmd := &cobra.Command{
		Use:   "nats-config",
		Short: "Write a NATS server's configuration, one user per service",
		Long: "Write a NATS server's configuration: streams synced and encrypted, and one user\n" +
			"for each worker, publisher and gateway that may do what it needs and nothing\n" +
			"else. Passwords stay out of it: the server takes them from its environment.",
		Example: "  winnow nats-config --publisher=ci-bot,deploy-bot --gateway=chat > nats.conf",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := access.ServerConfig()
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(a.Out, text); err != nil {
				return err
			}
			a.Say("the server needs in its environment:")
			for _, name := range access.PasswordVariables() {
				a.Say("  %s", name)
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&access.Publishers, "publisher", nil, "principals that publish, each with a user of its own")
	cmd.Flags().StringSliceVar(&access.Gateways, "gateway", nil, "principals that answer digests, each with a user of its own")
	return cmd
}
