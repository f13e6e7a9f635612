package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/winnowhq/winnow/services/digest"
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

// app is what every command shares: streams, settings and how to print.
type app struct {
	in       io.Reader
	out, err io.Writer
	flags    *run.Flags
	json     bool
}

// Main runs the command line and returns its exit code. args are those after
// the program's name.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{in: in, out: out, err: errOut}
	root := a.root()
	root.SetArgs(args)
	ctx, stop := run.Interruptible(context.Background())
	defer stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return run.ExitOK
	}
	fmt.Fprintln(errOut, run.Explain(err))
	return exitCode(err)
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, ops.ErrAuditBroken):
		return run.ExitAudit
	case errors.Is(err, ops.ErrPartial):
		return run.ExitPartial
	case isUsage(err):
		return run.ExitUsage
	}
	return run.ExitCode(err)
}

// usageError is a mistake in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// isUsage also recognises the mistakes that cobra finds before any of our code
// runs; it gives them no type.
func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command")
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (a *app) root() *cobra.Command {
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
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetUsageTemplate(usageTemplate)
	root.SetHelpTemplate(helpTemplate)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddGroup(
		&cobra.Group{ID: groupUse, Title: "Use"},
		&cobra.Group{ID: groupReview, Title: "Review"},
		&cobra.Group{ID: groupOperate, Title: "Operate"},
		&cobra.Group{ID: groupDevelop, Title: "Develop"},
	)
	a.flags = run.Bind(root.PersistentFlags(), fleet.All, "postgres-url", "nats-url", "state-dir")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print data as JSON")
	a.group(root, groupUse, a.dev(), a.demo(), a.search(), a.publish(), a.propose(), a.remember(), a.importFiles(), a.export(), a.adopt(), a.hook())
	a.group(root, groupReview, a.review(), a.digest(), a.why(), a.memory(), a.sessions(), a.undo(), a.retract())
	a.group(root, groupOperate, a.runWorkers(), a.status(), a.triage(), a.dlq(), a.replay(), a.audit(), a.config(),
		a.policy(), a.retired(), a.bootfile(), a.principal(), a.reviewer(), a.index(), a.vault(), a.migrate(), a.provision(), a.natsConfig(), a.psql())
	a.group(root, groupDevelop, a.mcp(), a.eval(), a.calibrate(), a.healthcheck())
	root.AddCommand(exitCodesTopic())
	root.SetHelpCommandGroupID(groupDevelop)
	root.SetCompletionCommandGroupID(groupDevelop)
	return root
}

func (a *app) group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		root.AddCommand(c)
	}
}

// settings reads the configuration of this call.
func (a *app) settings() (run.Config, error) {
	cfg, _, err := a.flags.Load()
	return cfg, err
}

// session is an operation's connection to a running installation.
type session struct {
	*run.Session
	ops *ops.Ops
}

// open connects. Commands log only what is wrong: their talk is for people.
func (a *app) open(ctx context.Context) (*session, error) {
	cfg, err := a.settings()
	if err != nil {
		return nil, err
	}
	return openSession(ctx, cfg)
}

func openSession(ctx context.Context, cfg run.Config) (*session, error) {
	s, err := run.Open(ctx, cfg, zap.NewNop())
	if err != nil {
		return nil, err
	}
	return &session{Session: s, ops: &ops.Ops{
		Store: s.Store, DeadLetters: s.DeadLetters, Redactor: s.Redactor,
		Tenant: s.Tenant, Person: s.Person, Digest: digest.Asking(s.Config.Workers), Now: s.Now, NewID: s.NewID,
		Recall: s.Recall, Index: s.Index, Truth: s.Truth, Meaning: s.Meaning,
	}}, nil
}

// with opens a session, runs fn and closes it.
func (a *app) with(cmd *cobra.Command, fn func(context.Context, *session) error) error {
	s, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(cmd.Context(), s)
}

// terminal says whether people look at a stream.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// sub makes a command of subcommands that shows its help when none is given.
func sub(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.AddCommand(commands...)
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q for %q", args[0], c.CommandPath())
		}
		return nil
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return c
}

// exact wants n arguments and says which.
func exact(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usagef("%s wants %s, got %d argument(s)\nusage: %s", cmd.CommandPath(), strings.Join(names, " "), len(args), cmd.UseLine())
		}
		return nil
	}
}
