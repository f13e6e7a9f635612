package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/services/ops"
)

// dateTime is how moments are shown to people, in their own zone.
const dateTime = "2006-01-02 15:04"

func (a *app) digest() *cobra.Command {
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
				return usagef("unknown command %q for %q", args[0], cmd.CommandPath())
			}
			if send && week != "" {
				return usagef("--send makes the digest of now; --week shows one that was sent")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, s *session) error {
				who := cmp.Or(reviewer, s.Person)
				switch {
				case send:
					return a.sendDigest(ctx, s, who)
				case week != "":
					page, err := s.ops.DigestOfSlot(ctx, who, week)
					if err != nil {
						return err
					}
					return a.showDigest(s, page)
				}
				return a.currentDigest(ctx, s, who)
			})
		},
	}
	cmd.Flags().StringVar(&week, "week", "", "the digest of this slot, such as 2026-W47; winnow digest list has them")
	cmd.Flags().BoolVar(&send, "send", false, "make one now and send it")
	cmd.Flags().StringVar(&reviewer, "reviewer", "", "whose (default: yours)")
	cmd.AddCommand(a.digestList())
	return cmd
}

// currentDigest shows what can be answered, else what would be sent.
func (a *app) currentDigest(ctx context.Context, s *session, who string) error {
	page, found, err := s.ops.OpenDigest(ctx, who)
	if err != nil {
		return err
	}
	if !found {
		if page, found, err = s.ops.PreviewDigest(ctx, who); err != nil {
			return err
		}
	}
	if !found {
		return a.nothingToSay(ctx, s, who)
	}
	return a.showDigest(s, page)
}

func (a *app) sendDigest(ctx context.Context, s *session, who string) error {
	page, made, err := s.ops.SendDigest(ctx, who)
	if err != nil {
		return err
	}
	if !made {
		return a.nothingToSay(ctx, s, who)
	}
	return a.showDigest(s, page)
}

// nothingToSay explains an empty page: nothing happened, or somebody else has
// these questions.
func (a *app) nothingToSay(ctx context.Context, s *session, who string) error {
	receivers, err := s.ops.Receivers(ctx)
	if err != nil {
		return err
	}
	a.say("there is nothing to tell %s; digests go to %v", who, receivers)
	return a.show(nil, func(io.Writer) {})
}

func (a *app) showDigest(s *session, page ops.DigestPage) error {
	err := a.show(page, func(w io.Writer) {
		fmt.Fprintln(w, strings.TrimRight(page.Text, "\n"))
		for _, r := range page.Replies {
			fmt.Fprintf(w, "\n%s %s> %s\n%s\n", r.At.Local().Format(dateTime), r.Principal, short(r.Text, 200), r.Answer)
		}
	})
	switch {
	case page.Preview:
		a.say("\nA preview: this was not sent and its code answers nothing. Send it: winnow digest --send")
	case !s.Now().Before(page.ExpiresAt):
		a.say("\nSent %s as %s, closed since %s.", page.CreatedAt.Local().Format(dateTime), page.Slot, page.ExpiresAt.Local().Format(dateTime))
	default:
		a.say("\nSent %s as %s, open until %s. Answer it: winnow review --reply \"ok\"",
			page.CreatedAt.Local().Format(dateTime), page.Slot, page.ExpiresAt.Local().Format(dateTime))
	}
	return err
}

func (a *app) digestList() *cobra.Command {
	var reviewer string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the digests that were sent, newest first", Args: cobra.NoArgs,
		Example: "  winnow digest list\n  winnow digest list --reviewer anna --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, s *session) error {
				list, err := s.ops.Digests(ctx, reviewer, limit)
				if err != nil {
					return err
				}
				now := s.Now()
				return a.show(list, func(w io.Writer) {
					var rows [][]string
					for _, d := range list {
						state := "closed"
						if now.Before(d.ExpiresAt) {
							state = "open until " + d.ExpiresAt.Local().Format(dateTime)
						}
						rows = append(rows, []string{d.Slot, d.Reviewer, d.CreatedAt.Local().Format(dateTime), strconv.Itoa(len(d.Items)), d.Code, state})
					}
					table(w, []string{"SLOT", "REVIEWER", "SENT", "QUESTIONS", "CODE", "ANSWERS"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&reviewer, "reviewer", "", "only this person's")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many")
	return cmd
}

// reply answers a digest in one line. What is not understood is a mistake in
// the arguments.
func (a *app) reply(cmd *cobra.Command, text string) error {
	if text == "-" {
		read, err := a.read(text)
		if err != nil {
			return err
		}
		text = string(read)
	}
	return a.with(cmd, func(ctx context.Context, s *session) error {
		done, err := s.ops.Reply(ctx, text)
		if err != nil {
			return err
		}
		if err := a.show(done, func(w io.Writer) { fmt.Fprintln(w, done.Answer) }); err != nil {
			return err
		}
		if done.Refused {
			return usagef("nothing was changed; the questions: winnow digest")
		}
		return nil
	})
}
