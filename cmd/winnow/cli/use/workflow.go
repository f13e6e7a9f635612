package use

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops/workflows"
)

func workflowDesk(s *command.Session) *workflows.Desk {
	return &workflows.Desk{Store: s.Store, Redactor: s.Redactor, Tenant: s.Tenant, Person: s.Person, Now: s.Now, NewID: s.NewID}
}

// workflowFlags are the common flags of winnow workflow.
type workflowFlags struct{ project string }

// at returns the project that is meant: the one named, else that of this folder.
func (f workflowFlags) at() (string, error) {
	if f.project != "" {
		return f.project, nil
	}
	return local.FindScope(".")
}

func workflowCommand(a *command.App) *cobra.Command {
	var f workflowFlags
	cmd := command.Sub(&cobra.Command{
		Use: "workflow", Short: "Keep a task's thread over several sessions",
		Long: "A workflow is a task of a project. What is remembered in the project while it is active\n" +
			"belongs to it, and agents are shown it at the start of each session. One of a project\n" +
			"is active at a time.",
		Example: "  winnow workflow start \"Move the importer\" --description \"until it reads the new format\"\n" +
			"  winnow workflow show\n  winnow workflow pause\n  winnow workflow list --status paused\n  winnow workflow resume wf_…\n  winnow workflow complete",
	}, startWorkflow(a, &f), showWorkflow(a, &f), listWorkflows(a, &f),
		changeWorkflow(a, &f, workflows.Complete, "End it with a summary of its memories"),
		changeWorkflow(a, &f, workflows.Pause, "Make room for another one"),
		changeWorkflow(a, &f, workflows.Resume, "Go on with a paused one"))
	cmd.PersistentFlags().StringVar(&f.project, "project", "", "the project, such as github.com/acme/api (default: that of this folder)")
	return cmd
}

func startWorkflow(a *command.App, f *workflowFlags) *cobra.Command {
	var description string
	cmd := &cobra.Command{
		Use: "start NAME", Short: "Begin one", Args: command.Exact("NAME"),
		Example: "  winnow workflow start \"Move the importer\" --project github.com/acme/api",
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := f.at()
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				w, paused, err := workflowDesk(s).Start(ctx, project, args[0], description)
				if err != nil {
					return err
				}
				if paused != "" {
					a.Say("%s, in which nothing had happened for 30 days, was paused", paused)
				}
				return a.Show(w, func(out io.Writer) { fmt.Fprintf(out, "%s  active in %s\n", w.ID, w.Scope) })
			})
		},
	}
	cmd.Flags().StringVar(&description, "description", "", "what it is about and when it is done")
	return cmd
}

func changeWorkflow(a *command.App, f *workflowFlags, verb workflows.Verb, short string) *cobra.Command {
	use, args := string(verb)+" [ID]", cobra.MaximumNArgs(1)
	if verb == workflows.Resume {
		use, args = string(verb)+" ID", command.Exact("ID")
	}
	return &cobra.Command{
		Use: use, Short: short, Args: args, Example: "  winnow workflow " + string(verb) + " wf_…",
		RunE: func(cmd *cobra.Command, args []string) error {
			project, id, err := f.named(args)
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				w, err := workflowDesk(s).Change(ctx, verb, project, id)
				if err != nil {
					return err
				}
				return a.Show(w, func(out io.Writer) {
					fmt.Fprintf(out, "%s  %s in %s\n", w.ID, w.Status, w.Scope)
					if w.Summary != "" {
						fmt.Fprintln(out, w.Summary)
					}
				})
			})
		},
	}
}

// named returns the workflow that the arguments name: an id of any project, unless one is
// named, or the active one of a project.
func (f workflowFlags) named(args []string) (project, id string, err error) {
	if len(args) > 0 {
		return f.project, args[0], nil
	}
	project, err = f.at()
	return project, "", err
}

func showWorkflow(a *command.App, f *workflowFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Show one with its memories", Args: cobra.MaximumNArgs(1), Example: "  winnow workflow show\n  winnow workflow show wf_… --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			project, id, err := f.named(args)
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				w, err := workflowDesk(s).Show(ctx, project, id)
				if err != nil {
					return err
				}
				return a.Show(w, func(out io.Writer) {
					fmt.Fprintf(out, "%s  %s in %s, %d memories\n%s\n", w.ID, w.Status, w.Scope, w.MemoryCount, w.Name)
					for _, text := range []string{w.Description, w.Summary} {
						if text != "" {
							fmt.Fprintln(out, text)
						}
					}
					for _, m := range w.Memories {
						fmt.Fprintf(out, "  %s  %-10s %s\n", m.ID, m.Kind, command.Short(m.Text, 80))
					}
				})
			})
		},
	}
}

func listWorkflows(a *command.App, f *workflowFlags) *cobra.Command {
	var status string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List them, the newest first", Args: cobra.NoArgs, Example: "  winnow workflow list --status active\n  winnow workflow list --project shop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch status {
			case "", "active", "paused", "completed":
			default:
				return command.Usagef("--status %q: want active, paused or completed", status)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := workflowDesk(s).List(ctx, f.project, status, limit)
				if err != nil {
					return err
				}
				return a.Show(list, func(out io.Writer) {
					var rows [][]string
					for _, w := range list {
						rows = append(rows, []string{w.ID, string(w.Status), string(w.Scope), strconv.Itoa(w.MemoryCount), w.UpdatedAt.Local().Format("2006-01-02 15:04"), command.Short(w.Name, 60)})
					}
					command.Table(out, []string{"ID", "STATUS", "PROJECT", "MEMORIES", "SINCE", "NAME"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only with this status: active, paused or completed")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many")
	return cmd
}
