package cli

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/develop"
	"github.com/winnowhq/winnow/cmd/winnow/cli/operate"
	"github.com/winnowhq/winnow/cmd/winnow/cli/review"
	"github.com/winnowhq/winnow/cmd/winnow/cli/use"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

// Groups of the help.
const (
	groupUse     = "use"
	groupReview  = "review"
	groupOperate = "operate"
	groupDevelop = "develop"
)

// Main runs the command line and returns its exit code. args does not contain
// the program's name.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	a := &command.App{In: in, Out: out, Err: errOut}
	root := root(a)
	root.SetArgs(args)
	ctx, stop := run.Interruptible(context.Background())
	defer stop()
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		return run.ExitOK
	}
	code := exitCode(err)
	if code != run.ExitInterrupted { // who pressed Ctrl-C knows
		a.Say("%s", run.Explain(err))
		switch {
		case code == run.ExitUsage:
			a.Say("usage: %s", called.UseLine())
		case code == run.ExitDependency && called.Name() != "doctor" && !errors.Is(err, run.ErrNoInstance):
			a.Say("what is wrong, and what to do: winnow doctor")
		}
	}
	return code
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, ops.ErrAuditBroken):
		return run.ExitAudit
	case errors.Is(err, ops.ErrPartial):
		return run.ExitPartial
	case command.IsUsage(err):
		return run.ExitUsage
	}
	return run.ExitCode(err)
}

func root(a *command.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "winnow",
		Short: "The judgement between your agents and their memory",
		Long: "Winnow decides which of the things that agents want remembered are worth it:\n" +
			"it rejects duplicates and artefacts, promotes facts, merges overlaps, and asks\n" +
			"a person about the rest.",
		Example: "  winnow dev                                    # run everything on this machine\n" +
			"  winnow demo                                   # see a backlog of 88 proposals sort itself\n" +
			"  winnow remember \"we use pnpm, never npm\" --scope project:shop\n" +
			"  winnow review                                 # decide what needs a person\n" +
			"  winnow digest                                 # the same as one page, once a week\n" +
			"  winnow review --reply \"ok except 3n\"          # answered in one line",
		Version:       run.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetUsageTemplate(strings.ReplaceAll(usageTemplate, "WIDTH", strconv.Itoa(a.Columns())))
	root.SetHelpTemplate(helpTemplate)
	root.SetFlagErrorFunc(command.UnknownFlag)
	root.AddGroup(
		&cobra.Group{ID: groupUse, Title: "Use"},
		&cobra.Group{ID: groupReview, Title: "Review"},
		&cobra.Group{ID: groupOperate, Title: "Operate"},
		&cobra.Group{ID: groupDevelop, Title: "Develop"},
	)
	a.Flags = run.Bind(root.PersistentFlags(), fleet.All, "postgres-url", "nats-url", "state-dir")
	root.PersistentFlags().BoolVar(&a.JSON, "json", false, "print data as JSON")
	group(root, groupUse, use.Commands(a))
	group(root, groupReview, review.Commands(a))
	group(root, groupOperate, operate.Commands(a))
	group(root, groupDevelop, develop.Commands(a))
	root.AddCommand(exitCodesTopic())
	root.SetHelpCommandGroupID(groupDevelop)
	root.SetCompletionCommandGroupID(groupDevelop)
	command.MarkUsage(root)
	return root
}

// group adds commands to a group of the help.
func group(root *cobra.Command, id string, commands []*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		root.AddCommand(c)
	}
}
