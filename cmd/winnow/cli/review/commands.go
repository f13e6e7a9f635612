package review

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

// Commands returns the commands of the help's group Review; the help sorts them.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		reviewCommand(a), digestCommand(a), whyCommand(a), memoryCommand(a), sessionsCommand(a), undoCommand(a), retractCommand(a), forgetCommand(a),
	}
}
