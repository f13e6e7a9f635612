package operate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func runsCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{
		Use: "runs", Short: "See what consolidation did, and take it back",
		Example: "  winnow runs list --scope project:shop\n  winnow runs show run_…\n  winnow runs undo run_…",
	}, runsList(a), runsShow(a), runsUndo(a))
}

// States and strategies that a filter accepts.
var (
	runStates     = []string{"requested", "running", "completed", "partial", "failed", "undone"}
	runStrategies = []string{"similar", "weekly", "explicit"}
)

func runsList(a *command.App) *cobra.Command {
	var f ops.RunFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List runs, the newest first", Args: cobra.NoArgs,
		Example: "  winnow runs list\n  winnow runs list --scope project:shop --limit 5\n  winnow runs list --state partial --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.State != "" && !slices.Contains(runStates, f.State) {
				return command.Usagef("--state %s: want %s", f.State, strings.Join(runStates, ", "))
			}
			if f.Strategy != "" && !slices.Contains(runStrategies, f.Strategy) {
				return command.Usagef("--strategy %s: want %s", f.Strategy, strings.Join(runStrategies, ", "))
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.Runs(ctx, f)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, r := range list {
						state := string(r.State)
						if r.Options.DryRun {
							state += ", dry"
						}
						rows = append(rows, []string{
							r.ID, r.RequestedAt.Local().Format(command.DateTime), string(r.Scope), string(r.Strategy), string(r.Trigger), state,
							strconv.Itoa(r.Archived), strconv.Itoa(r.Created), strconv.Itoa(r.Offered), strconv.Itoa(r.Refused),
						})
					}
					command.Table(w, []string{"ID", "ASKED", "SCOPE", "STRATEGY", "BY", "STATE", "MERGED", "INTO", "OFFERED", "REFUSED"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&f.Scope, "scope", "", "only this scope")
	cmd.Flags().StringVar(&f.Strategy, "strategy", "", "only this strategy: "+strings.Join(runStrategies, ", "))
	cmd.Flags().StringVar(&f.State, "state", "", "only this state: "+strings.Join(runStates, ", "))
	cmd.Flags().IntVar(&f.Limit, "limit", 20, "at most so many")
	return cmd
}

func runsShow(a *command.App) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use: "show RUN", Short: "What merged into what, what was refused, and why", Args: command.Exact("RUN"),
		Long: "Shows each step of a run: the memories that it took out of service (-), what stands\n" +
			"for them (+), which details were kept word for word, which only the archived\n" +
			"memories have, and what was left out and why.",
		Example: "  winnow runs show run_…\n  winnow runs show run_… --item 3\n  winnow runs show run_… --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("item") && n < 1 {
				return command.Usagef("--item %d: steps are numbered from 1", n)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				story, err := s.Ops.Run(ctx, args[0], n)
				if err != nil {
					return err
				}
				return a.Show(story, func(w io.Writer) { printRun(w, story) })
			})
		},
	}
	cmd.Flags().IntVar(&n, "item", 0, "only the step with this number")
	return cmd
}

func runsUndo(a *command.App) *cobra.Command {
	var u ops.RunUndo
	cmd := &cobra.Command{
		Use: "undo RUN", Short: "Take a run back, or one step of it", Args: command.Exact("RUN"),
		Long: "Puts back into service what the run archived, archives what it made, and withdraws\n" +
			"what it asked and nobody answered. Search, MEMORY.md and the index follow. Nothing\n" +
			"is deleted, all of it happens or none, and the next run keeps apart what was taken\n" +
			"back. Where something was built on a memory that the run made, the undo names it\n" +
			"and changes nothing, unless --cascade takes that back too.",
		Example: "  winnow runs undo run_…\n  winnow runs undo run_… --item 3\n  winnow runs undo run_… --cascade",
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("item") && u.Item < 1 {
				return command.Usagef("--item %d: steps are numbered from 1", u.Item)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				done, err := s.Ops.UndoRun(ctx, args[0], u)
				if err != nil {
					return err
				}
				if err := a.Show(done, func(w io.Writer) { printRunUndone(w, done) }); err != nil {
					return err
				}
				if len(done.Kept) > 0 {
					return fmt.Errorf("%w: %s of %s stayed", ops.ErrPartial, command.Plural(len(done.Kept), "memory"), done.Run)
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&u.Item, "item", 0, "only the step with this number")
	cmd.Flags().BoolVar(&u.Cascade, "cascade", false, "take back what rests on it too")
	return cmd
}

func printRunUndone(w io.Writer, d ops.RunUndone) {
	if len(d.Items)+len(d.Stopped)+len(d.Restored)+len(d.Archived) == 0 {
		fmt.Fprintf(w, "%s is %s; nothing of it stood\n", d.Run, d.State)
	} else {
		fmt.Fprintf(w, "%s is %s: %s taken back, %d restored, %d archived\n", d.Run, d.State,
			command.Plural(len(d.Items), "step"), len(d.Restored), len(d.Archived))
	}
	for _, more := range []struct {
		n    int
		what string
	}{
		{len(d.Stopped), "not begun, and not taken any more"}, {len(d.Withdrawn), "question(s) withdrawn"}, {len(d.ToReview), "back in review"},
	} {
		if more.n > 0 {
			fmt.Fprintf(w, "  %d %s\n", more.n, more.what)
		}
	}
	for _, k := range d.Kept {
		fmt.Fprintf(w, "  stays: %s  %q\n    %s\n", k.ID, command.Short(k.Text, 80), k.Why)
	}
}

// maxSteps is the number of steps that a person is shown without asking for more.
const maxSteps = 50

func printRun(w io.Writer, r ops.RunStory) {
	fmt.Fprintf(w, "%s  %s of %s, asked %s by %s\n", r.ID, r.Strategy, r.Scope, r.RequestedAt.Local().Format(command.DateTime), r.Trigger)
	state := string(r.State)
	if r.Options.DryRun {
		state += ", a dry run: nothing was changed"
	}
	if r.Reason != "" {
		state += ": " + r.Reason
	}
	fmt.Fprintf(w, "  %s\n", state)
	if !r.EndedAt.IsZero() {
		fmt.Fprintf(w, "  %d looked at, %d merged into %d, %d offered, %d refused, %d skipped; active %d → %d\n",
			r.Examined, r.Archived, r.Created, r.Offered, r.Refused, r.Skipped, r.Before, r.After)
	}
	if r.OverLimit {
		fmt.Fprintln(w, "  more memories than the limit remained")
	}
	for i, s := range r.Steps {
		if i == maxSteps {
			fmt.Fprintf(w, "\n… and %d more steps: --item N, or --json for all\n", len(r.Steps)-i)
			break
		}
		printStep(w, s)
	}
}

// printStep prints a step as a difference: what went out of service, and what came.
func printStep(w io.Writer, s ops.RunStep) {
	fmt.Fprintf(w, "\nstep %d  %s, %s", s.N, s.Action, s.State)
	if d := s.Detail; d.Average > 0 {
		fmt.Fprintf(w, "  similarity %.2f, least %.2f", d.Average, d.Minimum)
	}
	if s.Detail.By != "" {
		fmt.Fprintf(w, "  by %s", s.Detail.By)
	}
	fmt.Fprintln(w)
	if s.Reason != "" {
		fmt.Fprintf(w, "  %s\n", s.Reason)
	} else if s.Detail.Why != "" {
		fmt.Fprintf(w, "  %s\n", s.Detail.Why)
	}
	for _, t := range s.Before {
		printSide(w, "-", t)
	}
	for _, id := range s.Missing {
		fmt.Fprintf(w, "  - %s  not stored any more\n", id)
	}
	for _, t := range s.After {
		printSide(w, "+", t)
	}
	if s.Asked != "" {
		fmt.Fprintf(w, "  asked as %s, which is %s\n", s.ProposalID, strings.ReplaceAll(s.Asked, "_", " "))
	}
	if s.Detail.Fallback {
		fmt.Fprintln(w, "  the model's text was not used")
	}
	printNotes(w, s.Detail.Kept, s.Detail.Redirected, s.Detail.Dropped)
	for _, m := range s.Detail.Merges {
		printNotes(w, m.Kept, m.Redirected, m.Dropped)
	}
	for _, d := range s.Detail.Archives {
		fmt.Fprintf(w, "  archived without a successor: %s  %s\n", d.ID, d.Reason)
	}
	for _, r := range s.Detail.Refused {
		fmt.Fprintf(w, "  refused to %s %s: %s\n", r.What, strings.Join(r.IDs, ", "), r.Reason)
	}
	for _, d := range s.Detail.Left {
		fmt.Fprintf(w, "  left to a person: %s  %s\n", d.ID, d.Reason)
	}
}

// printSide prints a memory with a mark before each line.
func printSide(w io.Writer, mark string, t ops.RunText) {
	head := t.ID
	if head == "" {
		head = "(would be new)"
	}
	if t.Title != "" {
		head += "  " + t.Title
	}
	fmt.Fprintf(w, "  %s %s\n", mark, head)
	for line := range strings.SplitSeq(strings.TrimSpace(t.Text), "\n") {
		fmt.Fprintf(w, "  %s   %s\n", mark, line)
	}
}

func printNotes(w io.Writer, kept, redirected []string, dropped []ops.RunRemark) {
	for _, k := range kept {
		fmt.Fprintf(w, "  kept word for word: %s\n", k)
	}
	for _, r := range redirected {
		fmt.Fprintf(w, "  only in the archived: %s\n", r)
	}
	for _, d := range dropped {
		fmt.Fprintf(w, "  left out (%s): %s", d.Rule, d.Sentence)
		if d.Detail != "" {
			fmt.Fprintf(w, " (%s)", d.Detail)
		}
		fmt.Fprintln(w)
	}
}
