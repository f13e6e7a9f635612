package review

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func retractCommand(a *command.App) *cobra.Command {
	var r ops.RetractRequest
	var yes bool
	cmd := &cobra.Command{
		Use: "retract", Short: "Take back what a session, a principal or an origin said", Args: cobra.NoArgs,
		Long: "Shows what carries the source's words, and with --yes takes it out of service:\n" +
			"memories are archived, with what was derived from them; proposals that wait are\n" +
			"closed; what the source merely repeated loses that witness; what it had replaced\n" +
			"serves again; and what others said besides comes back to review. Several flags\n" +
			"must all hold. Nothing is deleted: winnow undo takes all of it back.",
		Example: "  winnow retract --session run-7                # only show\n" +
			"  winnow retract --session run-7 --yes\n" +
			"  winnow retract --principal ci-bot --origin external",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r == (ops.RetractRequest{}) {
				return command.Usagef("name a source: --session, --principal or --origin")
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				done, err := s.Ops.Retract(ctx, r, yes)
				if err != nil {
					return err
				}
				return a.Show(done, func(w io.Writer) { printRetracted(w, done) })
			})
		},
	}
	cmd.Flags().StringVar(&r.Session, "session", "", "what was said in this session: its id, or its publisher's name for it")
	cmd.Flags().StringVar(&r.Principal, "principal", "", "what this principal said")
	cmd.Flags().StringVar(&r.Origin, "origin", "", "what came from there: unknown, external, agent, first_party or human")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func printRetracted(w io.Writer, r ops.Retracted) {
	fmt.Fprintf(w, "%s: %d proposal(s)\n", r.Source, r.Proposals)
	changes := 0
	for _, group := range []struct {
		what string
		list []ops.Touched
	}{
		{"archived", r.Archived}, {"closed", r.Closed}, {"loses a witness", r.Weakened},
		{"serves again", r.Restored}, {"back in review", r.ToReview},
	} {
		changes += len(group.list)
		printTouched(w, group.what, group.list)
	}
	printTouched(w, "stays as it is", r.Independent)
	if len(r.Served) > 0 {
		fmt.Fprintf(w, "\nshown in %d session(s) before:\n", len(r.Served))
		for _, s := range r.Served {
			fmt.Fprintf(w, "  %s of %s, %s: %s\n", s.Session, s.Principal, s.Last.Format("2006-01-02 15:04"), strings.Join(s.Memories, ", "))
		}
	}
	switch {
	case changes == 0:
		fmt.Fprintln(w, "nothing of it is in service")
	case r.Applied:
		fmt.Fprintf(w, "\ndone   take back: winnow undo %s\n", r.ID)
	default:
		fmt.Fprintln(w, "\nnothing was changed; to do it, add --yes")
	}
}

func printTouched(w io.Writer, what string, list []ops.Touched) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %d\n", what, len(list))
	for _, t := range list {
		fmt.Fprintf(w, "  %s  %s  %q\n    %s\n", t.ID, t.Scope, command.Short(t.Text, 90), t.Why)
	}
}
