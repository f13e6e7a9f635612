package cli

import "github.com/spf13/cobra"

func (a *app) hook() *cobra.Command {
	return sub(&cobra.Command{
		Use: "hook", Short: "What coding agents call when a session begins and ends",
		Long: "Each reads the hook's JSON from standard input. `winnow adopt --write` installs them\n" +
			"for Claude Code.",
		Example: "  winnow hook session-start < hook.json\n" +
			"  winnow hook session-end < hook.json",
	}, a.hookSessionStart(), a.hookSessionEnd())
}
