package use

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

// Commands returns the commands of the help's group Use; the help sorts them.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		devCommand(a), demoCommand(a), searchCommand(a), publishCommand(a), proposeCommand(a), rememberCommand(a), importCommand(a), exportCommand(a), adoptCommand(a), hookCommand(a), workflowCommand(a),
	}
}
