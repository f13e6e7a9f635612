package use

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/run"
)

type adoptFlags struct {
	write   bool
	noHooks bool
	noMCP   bool
	noWait  bool
	timeout time.Duration
}

func adoptCommand(a *command.App) *cobra.Command {
	var f adoptFlags
	cmd := &cobra.Command{
		Use: "adopt [DIR…]", Short: "See what the history on this machine would teach, and take it in",
		Long: "Looks at what coding agents left here: transcripts of Claude Code, Codex, Gemini CLI,\n" +
			"OpenCode, Cline and Aider, Claude Code's notes, CLAUDE.md, AGENTS.md and MEMORY.md. It\n" +
			"takes secrets out, draws lessons by rules, judges them, and shows what would be\n" +
			"learned and what you would be asked. Nothing is written and nothing leaves this\n" +
			"machine; a running Winnow is not needed.\n\n" +
			"With --write it imports the memory files and publishes the sessions, as you, to the\n" +
			"running winnow dev or the configured fleet, and makes Claude Code call Winnow when a\n" +
			"session begins and ends. Doing it again adds only what is new.\n\n" +
			"Folders restrict it to what was worked on there.",
		Example: "  winnow adopt                    # what would be learned, and asked\n" +
			"  winnow adopt ~/src/shop --json  # all of it, of one project\n" +
			"  winnow adopt --write            # take it in and install the hooks\n" +
			"  winnow adopt --write --no-hooks --no-mcp",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			plan, err := planAdoption(cmd.Context(), a, cfg, args)
			if err != nil {
				return err
			}
			if !f.write {
				return a.Show(plan, func(w io.Writer) { printAdoption(w, plan) })
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error { return writePlan(ctx, a, s, plan, f) })
		},
	}
	cmd.Flags().BoolVar(&f.write, "write", false, "take it in: import, publish, install")
	cmd.Flags().BoolVar(&f.noHooks, "no-hooks", false, "with --write: leave the agent's settings alone")
	cmd.Flags().BoolVar(&f.noMCP, "no-mcp", false, "with --write: do not register the MCP server")
	cmd.Flags().BoolVar(&f.noWait, "no-wait", false, "with --write: do not wait until everything is decided")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 10*time.Minute, "with --write: how long to wait")
	return cmd
}

func planAdoption(ctx context.Context, a *command.App, cfg run.Config, dirs []string) (*local.Adoption, error) {
	home, err := local.FindHome()
	if err != nil {
		return nil, err
	}
	// The embedder is the table in the binary: the person did not ask for the
	// cost of a configured model.
	embedder, err := run.OfflineEmbedder("static")
	if err != nil {
		return nil, err
	}
	o := local.AdoptOptions{Home: home, Person: cfg.Person, PII: cfg.Redact.PII, Trust: ingest.Trust.In(cfg.Workers), Embedder: embedder}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err == nil {
			_, err = os.Stat(abs)
		}
		if err != nil {
			return nil, command.Usagef("%s is no folder here: %w", dir, err)
		}
		o.Dirs = append(o.Dirs, abs)
	}
	found, _ := home.Traces()
	bar := a.Bar(len(found), "read")
	o.Progress = func(done, _ int) { _ = bar.Set(done) }
	plan, err := local.PlanAdoption(ctx, o)
	_ = bar.Finish()
	return plan, err
}
