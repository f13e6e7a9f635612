package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ops"
)

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "What is stored, what waits, which rules people overrule", Args: cobra.NoArgs,
		Example: "  winnow status\n  winnow status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, s *session) error {
				status, err := s.ops.Status(ctx)
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
				return a.show(status, func(w io.Writer) { printStatus(w, status) })
			})
		},
	}
}

func printStatus(w io.Writer, s ops.Status) {
	fmt.Fprintf(w, "proposals     %s\nmemories      %s\nscopes        %d\n", counts(s.Proposals), counts(s.Memories), s.Scopes)
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
	table(w, []string{"RULE", "VERDICT", "DECIDED", "OVERRULED"}, rows)
}

func counts(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], strings.ReplaceAll(k, "_", " ")))
	}
	return strings.Join(parts, ", ")
}
