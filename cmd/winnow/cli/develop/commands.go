package develop

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

// Commands returns the commands of the help's group Develop; the help sorts
// them.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		mcpCommand(a), evalCommand(a), calibrateCommand(a), healthcheckCommand(a),
	}
}
