package develop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/clients"
	"github.com/winnowhq/winnow/services/local"
)

func mcpInstall(a *command.App) *cobra.Command {
	var url string
	var project, user, dryRun, hooks bool
	cmd := &cobra.Command{
		Use: "install " + strings.Join(clients.Names(), "|"), Short: "Make a coding agent start winnow mcp",
		Args: command.Exact(strings.Join(clients.Names(), "|")), ValidArgs: clients.Names(),
		Long: "Adds an entry to the agent's own configuration and shows what changes. All else in\n" +
			"the file stays as it is, comments included; doing it twice changes nothing, and the\n" +
			"file as it was lies beside it. With --hooks the agent also calls Winnow when a\n" +
			"session begins and ends (" + strings.Join(hookNames(), ", ") + ").",
		Example: "  winnow mcp install claude              # for all your projects\n" +
			"  winnow mcp install cursor --hooks      # and tell it at each start what to know\n" +
			"  winnow mcp install cursor --project    # for everybody in this folder\n" +
			"  winnow mcp install codex --dry-run",
		RunE: func(_ *cobra.Command, args []string) error {
			if project && user {
				return command.Usagef("--project and --user: choose one")
			}
			if _, known := local.FindHookAgent(args[0]); hooks && (!known || project) {
				return command.Usagef("--hooks: for %s, and without --project: a hook runs a program of this machine", strings.Join(hookNames(), ", "))
			}
			s, err := Server(a, url, project)
			if err != nil {
				return err
			}
			plan, err := Planned(args[0], s, project)
			if errors.Is(err, clients.ErrUnknown) {
				return command.Usage(err)
			}
			if err != nil {
				return err
			}
			if !dryRun {
				if err := plan.Write(); err != nil {
					return err
				}
			}
			done := installed{Plan: plan}
			if hooks {
				if done.Hooks, err = installHooks(a, args[0], url, dryRun); err != nil {
					return err
				}
			}
			return a.ShowWhole(done, func(w io.Writer) {
				printPlan(w, plan, dryRun)
				done.printHooks(w, dryRun)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&url, "url", "", "Winnow's address, when it is not the winnow dev of this machine")
	f.BoolVar(&project, "project", false, "in this folder, for everybody who works in it")
	f.BoolVar(&user, "user", false, "for all your projects (the default)")
	f.BoolVar(&dryRun, "dry-run", false, "only show what would change")
	f.BoolVar(&hooks, "hooks", false, "call Winnow when a session begins and ends, too")
	return cmd
}

// Server returns the server entry that the agent starts. A project's file is
// shared with other machines, so its entry names the program without a path.
func Server(a *command.App, url string, project bool) (clients.Server, error) {
	s := clients.Server{Command: "winnow", Args: []string{"mcp"}}
	if url != "" {
		if _, err := Finder(a, url); err != nil {
			return s, err
		}
		s.Args = append(s.Args, "--url", url)
	}
	cfg, err := a.Settings()
	if err != nil {
		return s, err
	}
	if cfg.StateDir != "" && url == "" && !project {
		s.Args = append(s.Args, "--state-dir", cfg.StateDir)
	}
	if !project {
		// The whole path: an agent that a desktop starts has another PATH than a shell.
		if s.Command, err = command.Program(); err == nil {
			s.Command, err = exec.LookPath(s.Command)
		}
		if err == nil {
			s.Command, err = filepath.Abs(s.Command)
		}
	} else if _, err := exec.LookPath(s.Command); err != nil {
		a.Say("winnow is not on the PATH here; whoever uses the file needs it there")
	}
	return s, err
}

// Planned is the change that an installation would make in an agent's
// configuration; Plan.Write applies the change.
func Planned(client string, s clients.Server, project bool) (*clients.Plan, error) {
	if project {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		return clients.PlanProject(client, dir, s)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("find your home: %w", err)
	}
	return clients.PlanUser(client, home, s)
}

func printPlan(w io.Writer, p *clients.Plan, dryRun bool) {
	if p.Diff == "" {
		fmt.Fprintf(w, "%s starts winnow mcp already: %s\n", p.Client, p.File)
		return
	}
	fmt.Fprintf(w, "%s\n%s", p.File, p.Diff)
	switch {
	case dryRun:
		fmt.Fprintln(w, "\nnothing is written yet: run it without --dry-run")
	case p.Backup != "":
		fmt.Fprintf(w, "\nwritten; the file as it was: %s\n", p.Backup)
	default:
		fmt.Fprintln(w, "\nwritten")
	}
}
