package review

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func whyCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "why ID", Short: "Tell the whole story of a proposal, memory or decision", Args: command.Exact("ID"),
		Example: "  winnow why prop_…\n  winnow why mem_…                              # with the runs that merged it\n  winnow why mem_… --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				story, err := s.Ops.Why(ctx, args[0])
				if err != nil {
					return err
				}
				return a.Show(story, func(w io.Writer) { printStory(w, story) })
			})
		},
	}
}

// maxShown bounds the rows of one kind that a story prints.
const maxShown = 5

// printStory prints a story from its start.
func printStory(w io.Writer, s ops.Story) {
	if p := s.Proposal; p != nil {
		fmt.Fprintf(w, "%s  %s, in %s\n  %q\n  from: %s\n  trust: %s\n", p.ID, p.State, p.Scope, p.Text, s.From, p.Authority)
		if s.Redacted > 0 {
			fmt.Fprintf(w, "  %d secret(s) were replaced before it was stored\n", s.Redacted)
		}
	}
	if m := s.Memory; m != nil {
		fmt.Fprintf(w, "%s  %s %s under %q, confidence %.2f, seen %d time(s)\n", m.ID, m.State, m.Kind, m.Section, m.Confidence, m.SeenCount)
		if s.Proposal == nil {
			fmt.Fprintf(w, "  %q\n", m.Text)
		}
		if m.ArchiveReason != "" {
			fmt.Fprintf(w, "  archived: %s %s\n", m.ArchiveReason, m.SuccessorID)
		}
	}
	for _, c := range s.Decisions {
		chapter(w, c)
	}
	if len(s.Evidence) > 0 {
		fmt.Fprintf(w, "\nrests on %d piece(s) of evidence\n", len(s.Evidence))
		for i, e := range s.Evidence {
			if i == maxShown {
				fmt.Fprintf(w, "  … and %d more\n", len(s.Evidence)-i)
				break
			}
			fmt.Fprintf(w, "  %s, %s %s\n", e.Principal, e.Origin, e.ProposalID)
		}
	}
	for _, step := range s.Runs {
		printStoryStep(w, step)
	}
	for _, l := range s.Links {
		fmt.Fprintf(w, "  %s %s %s\n", l.From, strings.ReplaceAll(string(l.Kind), "_", " "), l.To)
	}
}

// printStoryStep prints what a run did with the memory.
func printStoryStep(w io.Writer, s ops.StoryStep) {
	at := "planned"
	if !s.At.IsZero() {
		at = s.At.Format(time.DateTime)
	}
	fmt.Fprintf(w, "\n%s  %s: step %d, %s, %s\n", at, s.Run, s.N, s.Action, s.State)
	if s.Reason != "" {
		fmt.Fprintf(w, "  %s\n", s.Reason)
	}
	for i, t := range s.Sources {
		if i == maxShown {
			fmt.Fprintf(w, "  … and %d more: winnow runs show %s --item %d\n", len(s.Sources)-i, s.Run, s.N)
			break
		}
		fmt.Fprintf(w, "  - %s  %q\n", t.ID, command.Short(t.Text, 80))
	}
	if s.Into != nil {
		fmt.Fprintf(w, "  + %s  %q\n", s.Into.ID, command.Short(s.Into.Text, 80))
	}
	if s.State == "applied" {
		fmt.Fprintf(w, "  take back: winnow runs undo %s --item %d\n", s.Run, s.N)
	}
}

func chapter(w io.Writer, c ops.Chapter) {
	fmt.Fprintf(w, "\n%s  %s: %s, by %s (%s)\n  %s\n", c.At.Format(time.DateTime), c.ID, c.Verdict, c.Actor, c.Principal, c.Reason)
	if c.Sentence != "" {
		fmt.Fprintf(w, "  rule %s: %s\n", c.Rule, c.Sentence)
	}
	if len(c.Fired) > 1 {
		fmt.Fprintf(w, "  also matched: %s\n", strings.Join(c.Fired[1:], ", "))
	}
	if c.Policy != "" {
		fmt.Fprintf(w, "  policy %s@%s, compared by %s", c.Policy, c.PolicyVersion, c.Calibration)
		if c.Inputs.CandidateSource != "" {
			fmt.Fprintf(w, " with what the %s found in a large scope", c.Inputs.CandidateSource)
		}
		fmt.Fprintln(w)
	}
	if c.Undoes != "" {
		fmt.Fprintf(w, "  takes back %s\n", c.Undoes)
	}
	for _, n := range c.Near {
		mark := " "
		if n.ID == c.Target {
			mark = "→"
		}
		fmt.Fprintf(w, "  %s %.3f %-10s %s  %q\n", mark, n.Similarity, n.Relation, n.ID, command.Short(n.Text, 80))
	}
	if len(c.Features) > 2 {
		fmt.Fprintf(w, "  features: %s\n", c.Features)
	}
}
