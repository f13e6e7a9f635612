package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func dlqCommand(a *command.App) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List dead letters, oldest first", Args: cobra.NoArgs, Example: "  winnow dlq list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				letters, err := s.Ops.DeadLettersFrom(ctx, 0, 200)
				if err != nil {
					return err
				}
				return a.Show(letters, func(w io.Writer) {
					var rows [][]string
					for _, l := range letters {
						rows = append(rows, []string{strconv.FormatUint(l.Seq, 10), l.At.Format(time.DateTime), l.Consumer, l.Reason.Class, command.Short(l.Subject, 50), command.Short(l.Reason.Text, 200)})
					}
					command.Table(w, []string{"SEQ", "AT", "WORKER", "CLASS", "SUBJECT", "REASON"}, rows)
				})
			})
		},
	}
	var raw bool
	show := &cobra.Command{
		Use: "show SEQ", Short: "Show one dead letter whole", Args: command.Exact("SEQ"), Example: "  winnow dlq show 3",
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseUint(args[0], 10, 64)
			if err != nil {
				return command.Usagef("%q is not a sequence number", args[0])
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				l, err := s.Ops.DeadLetter(ctx, seq, raw)
				if err != nil {
					return err
				}
				return a.ShowWhole(l, func(w io.Writer) {
					fmt.Fprintf(w, "%s: %s\nfrom %s #%d on %s, %d attempt(s), given up by %s\n", l.Reason.Class, l.Reason.Text, l.Stream, l.Sequence, l.Subject, l.Attempts, l.Consumer)
					for k, v := range l.Header {
						fmt.Fprintf(w, "%s: %q\n", k, v)
					}
					fmt.Fprintf(w, "\n%q\n", command.Short(string(l.Data), 4000))
				})
			})
		},
	}
	show.Flags().BoolVar(&raw, "raw", false, "leave secrets in, as the publisher sent them")
	replay := &cobra.Command{
		Use: "replay SEQ…", Short: "Publish dead letters again", Args: cobra.MinimumNArgs(1), Example: "  winnow dlq replay 3 4",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				for _, arg := range args {
					seq, err := strconv.ParseUint(arg, 10, 64)
					if err != nil {
						return command.Usagef("%q is not a sequence number", arg)
					}
					at, err := s.Ops.ReplayLetter(ctx, seq)
					if err != nil {
						return err
					}
					if at == 0 {
						fmt.Fprintf(a.Out, "%d will be published again by the relay\n", seq)
						continue
					}
					fmt.Fprintf(a.Out, "%d published again as #%d\n", seq, at)
				}
				return nil
			})
		},
	}
	return command.Sub(&cobra.Command{Use: "dlq", Short: "Look at what could not be handled", Example: "  winnow dlq list"}, list, show, replay)
}

func replayCommand(a *command.App) *cobra.Command {
	var all bool
	decision := &cobra.Command{
		Use: "decision ID|--all", Short: "Derive a decision again and compare", Args: cobra.MaximumNArgs(1),
		Example: "  winnow replay decision dec_…\n  winnow replay decision --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return command.Usagef("give the id of a decision, or --all")
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				if all {
					return replayAll(ctx, a, s)
				}
				r, err := s.Ops.ReplayDecision(ctx, args[0])
				if err != nil {
					return err
				}
				if err := a.Show(r, func(w io.Writer) { printReplayed(w, r) }); err != nil {
					return err
				}
				if !r.Same && r.Skipped == "" {
					return fmt.Errorf("%w: it comes out otherwise today", ops.ErrPartial)
				}
				return nil
			})
		},
	}
	decision.Flags().BoolVar(&all, "all", false, "every decision, with a summary")
	var since string
	outbox := &cobra.Command{
		Use: "outbox", Short: "Publish committed events once more, under the same ids", Args: cobra.NoArgs,
		Example: "  winnow replay outbox --since 2h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := parseSince(since)
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.ReplayOutbox(ctx, at)
				if err != nil {
					return err
				}
				return a.Show(map[string]int64{"events": n}, func(w io.Writer) { fmt.Fprintf(w, "%d events will be published again\n", n) })
			})
		},
	}
	outbox.Flags().StringVar(&since, "since", "1h", "a duration back from now, or a time like 2026-01-31T09:30:00Z")
	return command.Sub(&cobra.Command{Use: "replay", Short: "Derive decisions again, publish events again", Example: "  winnow replay decision --all"}, decision, outbox)
}

func parseSince(s string) (time.Time, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return at, command.Usagef("since %q: want 2h or 2026-01-31T09:30:00Z", s)
	}
	return at, nil
}

func replayAll(ctx context.Context, a *command.App, s *command.Session) error {
	bar := a.Bar(-1, "replay")
	report, err := s.Ops.ReplayAll(ctx, func(int) { _ = bar.Add(1) })
	if err != nil {
		return err
	}
	_ = bar.Finish()
	err = a.Show(report, func(w io.Writer) {
		fmt.Fprintf(w, "%d same, %d different; %d not made by rules (people, imports), made by an earlier version or without their texts\n", report.Same, report.Different, report.Skipped)
		for _, d := range report.Details {
			printReplayed(w, d)
		}
	})
	if err == nil && report.Different > 0 {
		err = fmt.Errorf("%w: %d come out otherwise today", ops.ErrPartial, report.Different)
	}
	return err
}

func printReplayed(w io.Writer, r ops.Replayed) {
	switch {
	case r.Skipped != "":
		fmt.Fprintf(w, "%s  not derivable: %s\n", r.Decision, r.Skipped)
	case r.Same:
		fmt.Fprintf(w, "%s  same (%s)\n", r.Decision, r.Rule)
	default:
		fmt.Fprintf(w, "%s  different (%s)\n", r.Decision, r.Rule)
		for _, d := range r.Differences {
			fmt.Fprintf(w, "  %s\n", d)
		}
	}
}
