package review

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

func digestCommand(a *command.App) *cobra.Command {
	var week, reviewer string
	var send bool
	cmd := &cobra.Command{
		Use: "digest", Short: "The week on one page: what was decided, and what needs a person",
		Long: "Shows the newest digest that can still be answered, else what would be sent\n" +
			"now. The fleet sends one every Monday; --send makes one between Mondays. Answer\n" +
			"it in one line: winnow review --reply \"ok\".",
		Example: "  winnow digest\n  winnow digest --week 2026-W47       # as it was sent, with the answers\n" +
			"  winnow digest --send                # one now, to the gateways too\n  winnow digest list",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Usagef("unknown command %q for %q", args[0], cmd.CommandPath())
			}
			if send && week != "" {
				return command.Usagef("--send makes the digest of now; --week shows one that was sent")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				who := cmp.Or(reviewer, s.Person)
				switch {
				case send:
					return sendDigest(ctx, a, s, who)
				case week != "":
					page, err := s.Ops.DigestOfSlot(ctx, who, week)
					if err != nil {
						return err
					}
					return showDigest(a, s, page)
				}
				return currentDigest(ctx, a, s, who)
			})
		},
	}
	cmd.Flags().StringVar(&week, "week", "", "the digest of this slot, such as 2026-W47; winnow digest list has them")
	cmd.Flags().BoolVar(&send, "send", false, "make one now and send it")
	cmd.Flags().StringVar(&reviewer, "reviewer", "", "whose (default: yours)")
	cmd.AddCommand(digestList(a))
	return cmd
}

// currentDigest shows the open digest, else a preview of the next.
func currentDigest(ctx context.Context, a *command.App, s *command.Session, who string) error {
	page, found, err := s.Ops.OpenDigest(ctx, who)
	if err != nil {
		return err
	}
	if !found {
		if page, found, err = s.Ops.PreviewDigest(ctx, who); err != nil {
			return err
		}
	}
	if !found {
		return nothingToSay(ctx, a, s, who)
	}
	return showDigest(a, s, page)
}

func sendDigest(ctx context.Context, a *command.App, s *command.Session, who string) error {
	page, made, err := s.Ops.SendDigest(ctx, who)
	if err != nil {
		return err
	}
	if !made {
		return nothingToSay(ctx, a, s, who)
	}
	return showDigest(a, s, page)
}

// nothingToSay explains an empty page: no event happened, or another reviewer
// has the questions.
func nothingToSay(ctx context.Context, a *command.App, s *command.Session, who string) error {
	receivers, err := s.Ops.Receivers(ctx)
	if err != nil {
		return err
	}
	a.Say("there is nothing to tell %s; digests go to %v", who, receivers)
	return a.Show(nil, func(io.Writer) {})
}

func showDigest(a *command.App, s *command.Session, page ops.DigestPage) error {
	err := a.Show(page, func(w io.Writer) {
		fmt.Fprintln(w, strings.TrimRight(page.Text, "\n"))
		for _, r := range page.Replies {
			fmt.Fprintf(w, "\n%s %s> %s\n%s\n", r.At.Local().Format(command.DateTime), r.Principal, command.Short(r.Text, 200), r.Answer)
		}
	})
	switch {
	case page.Preview:
		a.Say("\nA preview: this was not sent and its code answers nothing. Send it: winnow digest --send")
	case !s.Now().Before(page.ExpiresAt):
		a.Say("\nSent %s as %s, closed since %s.", page.CreatedAt.Local().Format(command.DateTime), page.Slot, page.ExpiresAt.Local().Format(command.DateTime))
	default:
		a.Say("\nSent %s as %s, open until %s. Answer it: winnow review --reply \"ok\"",
			page.CreatedAt.Local().Format(command.DateTime), page.Slot, page.ExpiresAt.Local().Format(command.DateTime))
	}
	return err
}

func digestList(a *command.App) *cobra.Command {
	var reviewer string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the digests that were sent, newest first", Args: cobra.NoArgs,
		Example: "  winnow digest list\n  winnow digest list --reviewer anna --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.Digests(ctx, reviewer, limit)
				if err != nil {
					return err
				}
				now := s.Now()
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, d := range list {
						state := "closed"
						if now.Before(d.ExpiresAt) {
							state = "open until " + d.ExpiresAt.Local().Format(command.DateTime)
						}
						rows = append(rows, []string{d.Slot, d.Reviewer, d.CreatedAt.Local().Format(command.DateTime), strconv.Itoa(len(d.Items)), d.Code, state})
					}
					command.Table(w, []string{"SLOT", "REVIEWER", "SENT", "QUESTIONS", "CODE", "ANSWERS"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&reviewer, "reviewer", "", "only this person's")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many")
	return cmd
}

// reply answers a digest with one line. A reply that is not understood is a
// usage error.
func reply(a *command.App, cmd *cobra.Command, text string) error {
	if text == "-" {
		read, err := a.Read(text)
		if err != nil {
			return err
		}
		text = string(read)
	}
	return a.With(cmd, func(ctx context.Context, s *command.Session) error {
		done, err := s.Ops.Reply(ctx, text)
		if err != nil {
			return err
		}
		if err := a.Show(done, func(w io.Writer) { fmt.Fprintln(w, done.Answer) }); err != nil {
			return err
		}
		if done.Refused {
			return command.Usagef("nothing was changed; the questions: winnow digest")
		}
		return nil
	})
}
