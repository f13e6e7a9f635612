package develop

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

// Commands are those that the help lists under Develop; the help sorts them.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		mcpCommand(a), evalCommand(a), calibrateCommand(a), healthcheckCommand(a),
	}
}
