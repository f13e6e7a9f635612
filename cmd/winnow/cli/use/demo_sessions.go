package use

import (
	"context"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/operate"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/ops/demo"
)

// demoSessions publishes the sessions of the sample week and waits for the
// verdicts on their proposals.
func demoSessions(ctx context.Context, a *command.App, s *command.Session) ([]ops.SessionResult, error) {
	list, err := demo.Sessions()
	if err != nil {
		return nil, err
	}
	client, err := s.Client(demo.SessionPrincipal)
	if err != nil {
		return nil, err
	}
	r := published{began: s.Now()}
	for _, one := range list {
		receipt, err := client.SessionCompleted(ctx, one.Event)
		if err != nil {
			return nil, fmt.Errorf("publish the session %s: %w", one.File, err)
		}
		one.Place = receipt.Sequence
		r.Sessions = append(r.Sessions, ops.SessionResult{SessionFile: one.SessionFile})
	}
	err = followSessions(ctx, a, s, demo.SessionPrincipal, operate.StallTimeout, &r)
	return r.Sessions, err
}

// printDemoSessions prints the lessons of each session. A session without a
// lesson is printed too: that is the result of orders from outside.
func printDemoSessions(w io.Writer, sessions []ops.SessionResult) {
	for _, s := range sessions {
		fmt.Fprintf(w, "  %-18s  %d turns", s.File, s.Turns)
		if s.Redactions > 0 {
			fmt.Fprintf(w, ", %s replaced", command.Plural(s.Redactions, "secret"))
		}
		if len(s.Proposals) == 0 {
			fmt.Fprint(w, ", nothing learned")
		}
		fmt.Fprintln(w)
		for _, p := range s.Proposals {
			fmt.Fprintf(w, "    %s %s: %s\n", p.State, p.Kind, command.Short(p.Text, 150))
		}
	}
}
