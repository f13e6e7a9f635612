package operate

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

// Commands returns the commands of the help's group Operate; the help sorts
// them.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		runCommand(a), consolidateCommand(a), runsCommand(a), topicsCommand(a), summarizeCommand(a), statusCommand(a), doctorCommand(a), triageCommand(a),
		dlqCommand(a), replayCommand(a), auditCommand(a), configCommand(a),
		policyCommand(a), retiredCommand(a), bootfileCommand(a), principalCommand(a), keyCommand(a), tenantCommand(a), reviewerCommand(a), indexCommand(a), vaultCommand(a), migrateCommand(a), provisionCommand(a), natsConfigCommand(a), psqlCommand(a), scopeCommand(a), logCommand(a),
	}
}
