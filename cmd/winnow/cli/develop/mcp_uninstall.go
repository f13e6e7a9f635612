package develop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/clients"
	"github.com/winnowhq/winnow/services/local"
)

func mcpUninstall(a *command.App) *cobra.Command {
	var project, user, dryRun bool
	names := strings.Join(clients.Names(), "|")
	cmd := &cobra.Command{
		Use: "uninstall " + names, Short: "Undo what winnow mcp install wrote",
		Args: command.Exact(names), ValidArgs: clients.Names(),
		Long: "Removes Winnow's entry from the agent's own configuration and shows what changes.\n" +
			"Where nobody has changed the file since, it is as it was before to the letter, and\n" +
			"gone if the installation had created it, with the folders that are empty without it.\n" +
			"All else stays, comments included. Hooks of Winnow go too.",
		Example: "  winnow mcp uninstall claude\n" +
			"  winnow mcp uninstall cursor --project",
		RunE: func(_ *cobra.Command, args []string) error {
			if project && user {
				return command.Usagef("--project and --user: choose one")
			}
			plan, err := atPlace(args[0], project, clients.PlanRemoval, clients.PlanProjectRemoval)
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
			done := uninstalled{Plan: plan, Hooks: []string{}}
			if agent, ok := local.FindHookAgent(args[0]); ok && !project {
				if done.Hooks, err = removeHooks(agent, dryRun); err != nil {
					return err
				}
			}
			if !dryRun && (plan.Diff != "" || len(done.Hooks) > 0) {
				if err := leaveNoFolder(args[0], project, plan.File); err != nil {
					return err
				}
			}
			return a.ShowWhole(done, func(w io.Writer) {
				printRemoval(w, plan, dryRun)
				if len(done.Hooks) > 0 {
					fmt.Fprintf(w, "hooks at %s: %s\n", strings.Join(done.Hooks, ", "), map[bool]string{true: "would be removed", false: "removed"}[dryRun])
				}
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&project, "project", false, "in this folder")
	f.BoolVar(&user, "user", false, "for all your projects (the default)")
	f.BoolVar(&dryRun, "dry-run", false, "only show what would change")
	return cmd
}

// uninstalled is what a removal changes: the server's entry, and the hooks.
type uninstalled struct {
	*clients.Plan
	Hooks []string `json:"hooks"` // events
}

// leaveNoFolder removes the folders of the files that were Winnow's alone, below the person's
// home or the project, while they are empty.
func leaveNoFolder(client string, project bool, files ...string) error {
	root := func(_, dir string) (string, error) { return dir, nil }
	top, err := atPlace(client, project, root, root)
	if err != nil {
		return err
	}
	if agent, ok := local.FindHookAgent(client); ok && !project {
		home, err := local.FindHome()
		if err != nil {
			return err
		}
		files = append(files, agent.File(home))
	}
	for _, file := range files {
		for dir := filepath.Dir(file); strings.HasPrefix(dir, top+string(filepath.Separator)); dir = filepath.Dir(dir) {
			if info, err := os.Lstat(dir); err != nil || !info.IsDir() || os.Remove(dir) != nil {
				break // a link, or not empty
			}
		}
	}
	return nil
}

// atPlace calls the function for this folder's project, or the one for the person's home.
func atPlace[T any](client string, project bool, inHome, inProject func(name, dir string) (T, error)) (none T, err error) {
	if project {
		dir, err := os.Getwd()
		if err != nil {
			return none, err
		}
		return inProject(client, dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return none, fmt.Errorf("find your home: %w", err)
	}
	return inHome(client, home)
}

func printRemoval(w io.Writer, p *clients.Plan, dryRun bool) {
	if p.Diff == "" {
		fmt.Fprintf(w, "%s does not start winnow mcp: %s\n", p.Client, p.File)
		return
	}
	fmt.Fprintf(w, "%s\n%s", p.File, p.Diff)
	if dryRun {
		fmt.Fprintln(w, "\nnothing is written yet: run it without --dry-run")
		return
	}
	fmt.Fprintln(w, "\nremoved")
}
