package review

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func sessionsCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "session", Short: "Look at the sessions that came in and at what came of them",
		Example: "  winnow session list --scope project:shop\n  winnow session get run-7 --trace",
	}, sessionList(a), sessionGet(a))
}

func sessionList(a *command.App) *cobra.Command {
	var f ops.SessionFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List sessions, newest first", Args: cobra.NoArgs,
		Example: "  winnow session list --scope project:shop\n  winnow session list --state ingested      # waits for distillation\n" +
			"  winnow session list --principal ci-bot --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.Sessions(ctx, f)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, one := range list {
						rows = append(rows, []string{
							one.ID, one.IngestedAt.Format(time.DateTime), string(one.State), string(one.Scope), one.Principal, one.Outcome,
							strconv.Itoa(one.Turns), strconv.Itoa(one.Extracted), command.Short(one.Name, 24), command.Short(one.Task, 50),
						})
					}
					command.Table(w, []string{"ID", "INGESTED", "STATE", "SCOPE", "PRINCIPAL", "OUTCOME", "TURNS", "LESSONS", "NAME", "TASK"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&f.Scope, "scope", "", "only this scope")
	cmd.Flags().StringVar(&f.Principal, "principal", "", "only what this principal published")
	cmd.Flags().StringVar(&f.State, "state", "", "only in this state: ingested or distilled")
	cmd.Flags().IntVar(&f.Limit, "limit", 100, "at most so many")
	return cmd
}

func sessionGet(a *command.App) *cobra.Command {
	var trace bool
	cmd := &cobra.Command{
		Use: "get ID|NAME", Short: "Show one session: what it was, what was learned, what came of it", Args: command.Exact("ID|NAME"),
		Long:    "NAME is its publisher's own name for it; of several the newest is shown.",
		Example: "  winnow session get sess_…\n  winnow session get run-7 --trace      # with what was said, redacted",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				story, err := s.Ops.Session(ctx, args[0], trace)
				if err != nil {
					return err
				}
				return a.Show(story, func(w io.Writer) { printSession(w, story) })
			})
		},
	}
	cmd.Flags().BoolVar(&trace, "trace", false, "show what was said, with where each turn's words come from")
	return cmd
}

func printSession(w io.Writer, s ops.SessionStory) {
	outcome := s.Outcome
	if s.OutcomeInferred {
		outcome += ", inferred"
		if s.OutcomeBasis != "" {
			outcome += " from " + s.OutcomeBasis
		}
	}
	fmt.Fprintf(w, "%s  %q of %s in %s\n", s.ID, s.Name, s.Principal, s.Scope)
	if s.Task != "" {
		fmt.Fprintf(w, "  task: %s\n", s.Task)
	}
	fmt.Fprintf(w, "  outcome: %s\n  trace: %s, %d turn(s)", outcome, s.Format, s.Turns)
	for _, part := range []struct {
		n    int
		what string
	}{{s.External, "from outside"}, {s.Skipped, "could not be read"}, {s.Redactions, "secret(s) replaced"}} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.what)
		}
	}
	fmt.Fprintf(w, "\n  came in: %s\n", s.IngestedAt.Format(time.DateTime))
	if s.DistilledAt.IsZero() {
		fmt.Fprintln(w, "  waits for distillation")
	} else {
		fmt.Fprintf(w, "  distilled: %s by %s, %d lesson(s)", s.DistilledAt.Format(time.DateTime), s.Distiller, s.Extracted)
		if s.Ungrounded > 0 {
			fmt.Fprintf(w, ", %d dropped because the trace does not bear them out", s.Ungrounded)
		}
		fmt.Fprintln(w)
	}
	if s.Note != "" {
		fmt.Fprintf(w, "  note: %s\n", s.Note)
	}
	printLessons(w, s)
	printTrace(w, s)
}

func printLessons(w io.Writer, s ops.SessionStory) {
	for _, l := range s.Lessons {
		fmt.Fprintf(w, "\n%s  %s %s, trust %s\n  %q\n", l.Proposal, l.State, l.Kind, l.Trust, command.Short(l.Text, 200))
		if l.Reason != "" {
			fmt.Fprintf(w, "  %s: %s\n", l.Rule, l.Reason)
		}
		if l.Memory != "" {
			fmt.Fprintf(w, "  became %s\n", l.Memory)
		}
	}
	if len(s.Served) > 0 {
		fmt.Fprintf(w, "\n%d memory(s) were shown in it\n", len(s.Served))
	}
}

// printTrace prints the turns in order, each with the origin of its words.
func printTrace(w io.Writer, s ops.SessionStory) {
	if s.TraceGone {
		fmt.Fprintln(w, "\nwhat was said is not kept any more (retention.traces)")
	}
	for _, l := range s.Trace {
		who := string(l.Role)
		if l.Tool.Name != "" {
			who += " " + l.Tool.Name
		}
		from := l.Span.Origin.String()
		if l.Span.From > 0 && l.Span.From != l.N {
			from += fmt.Sprintf(" since turn %d", l.Span.From)
		}
		fmt.Fprintf(w, "\n%d  %s  [%s]\n", l.N, who, from)
		for line := range strings.Lines(l.Text) {
			fmt.Fprintf(w, "   %s\n", strings.TrimRight(line, "\n"))
		}
	}
}
