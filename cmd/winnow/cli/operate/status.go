package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ops"
)

func statusCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "What is stored, what waits, which rules people overrule", Args: cobra.NoArgs,
		Example: "  winnow status\n  winnow status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				status, err := s.Ops.Status(ctx)
				if err != nil {
					return err
				}
				for _, d := range fleet.All {
					if d.Durable.Name == "" {
						continue
					}
					lag := ops.Lag{Worker: d.Name}
					if lag.Waiting, lag.InHand, err = s.Lag(ctx, d); err != nil {
						lag.Problem = err.Error()
					}
					status.Lag = append(status.Lag, lag)
				}
				return a.Show(status, func(w io.Writer) { printStatus(w, status) })
			})
		},
	}
}

func printStatus(w io.Writer, s ops.Status) {
	fmt.Fprintf(w, "proposals     %s\nmemories      %s\nscopes        %d\n", command.Counts(s.Proposals), command.Counts(s.Memories), s.Scopes)
	fmt.Fprintf(w, "outbox        %d waiting\ndead letters  %d\n", s.Outbox, s.DeadLetters)
	for _, l := range s.Lag {
		fmt.Fprintf(w, "%-13s %d waiting, %d in hand %s\n", l.Worker, l.Waiting, l.InHand, l.Problem)
	}
	if len(s.Rules) == 0 {
		return
	}
	fmt.Fprintln(w)
	var rows [][]string
	for _, r := range s.Rules {
		rate := "-"
		if r.Reviewed > 0 {
			rate = fmt.Sprintf("%.0f %% of %d", 100*r.Rate, r.Reviewed)
		}
		rows = append(rows, []string{r.Rule, r.Verdict, strconv.Itoa(r.Decided), rate})
	}
	command.Table(w, []string{"RULE", "VERDICT", "DECIDED", "OVERRULED"}, rows)
}
