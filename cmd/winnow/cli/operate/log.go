package operate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops/topics"
)

func logCommand(a *command.App) *cobra.Command {
	var l topics.Log
	cmd := &cobra.Command{
		Use: "log", Short: "Show what each caller searched for and read in full", Args: cobra.NoArgs,
		Long: "The protocol to which a topic summary is held: every search with its words, and\n" +
			"every memory that was given in full, by caller and session, the newest first.\n" +
			"It is kept for retention.research (48 hours by default).",
		Example: "  winnow log\n  winnow log --principal builder --session s1\n  winnow log --since 2h --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.Limit < 1 || l.Since < 0 {
				return command.Usagef("--limit is at least 1 and --since no time to come")
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := topics.ReadLog(ctx, s.Store, s.Tenant, s.Now(), l)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, e := range list {
						about := e.MemoryID
						if about == "" {
							about = fmt.Sprintf("%s (%d found)", strings.Join(e.Words, " "), e.Found)
						}
						rows = append(rows, []string{e.At.Local().Format(time.DateTime), e.Principal, e.Session, e.What, about})
					}
					command.Table(w, []string{"AT", "PRINCIPAL", "SESSION", "WHAT", "ABOUT"}, rows)
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.Principal, "principal", "", "only of this principal")
	f.StringVar(&l.Session, "session", "", "only of this session")
	f.DurationVar(&l.Since, "since", 0, "only of this last time, such as 2h")
	f.IntVar(&l.Limit, "limit", 100, "how many at most")
	return cmd
}
