package use

import (
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
)

func hookCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "hook", Short: "What coding agents call when a session begins and ends",
		Long: "Each reads the hook's JSON from standard input. `winnow adopt --write` installs them\n" +
			"for Claude Code, `winnow mcp install --hooks` for Claude Code, Codex and Cursor.",
		Example: "  winnow hook session-start < hook.json\n" +
			"  winnow hook session-end < hook.json",
	}, hookSessionStart(a), hookSessionNote(a), hookSessionEnd(a))
}
