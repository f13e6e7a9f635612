package use

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/operate"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/ops/demo"
	"github.com/winnowhq/winnow/services/run"
)

func demoCommand(a *command.App) *cobra.Command {
	var clean bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Watch a sample week of 88 proposals and three sessions sort itself", Args: cobra.NoArgs,
		Long: "Publishes the sample week into the running winnow dev, or into a temporary one\n" +
			"that is gone at the end. --clean takes it out of the running one again: its\n" +
			"memories are archived, its open questions rejected, its registry removed.",
		Example: "  winnow demo\n  winnow dev & winnow demo && winnow review\n  winnow demo --clean",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			_, _, err = run.Locate(cfg)
			if clean {
				return cleanDemo(ctx, a, cfg)
			}
			if err == nil {
				return runDemo(ctx, a, cfg, false)
			}
			if !errors.Is(err, run.ErrNoInstance) {
				return err
			}
			a.Say("no winnow dev runs here: starting a temporary one")
			d, err := run.StartDev(ctx, cfg, run.DevOptions{Ephemeral: true, Download: true, Notice: func(text string) { a.Say("%s", text) }}, zap.NewNop(), fleet.All...)
			if err != nil {
				return err
			}
			a.Say("ready in %.1f s", d.Took.Seconds())
			err = runDemo(ctx, a, d.Config, true)
			return errors.Join(err, d.Stop())
		},
	}
	cmd.Flags().BoolVar(&clean, "clean", false, "take the sample week out of the running instance")
	return cmd
}

func cleanDemo(ctx context.Context, a *command.App, cfg run.Config) error {
	s, err := command.OpenSession(ctx, cfg)
	if errors.Is(err, run.ErrNoInstance) {
		a.Say("nothing to take out: no winnow dev runs, and a temporary one leaves nothing")
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	c, err := demo.Clean(ctx, s.Ops)
	if err != nil {
		return err
	}
	return a.Show(c, func(w io.Writer) {
		fmt.Fprintf(w, "%s archived, %s rejected, %s of the registry removed\n",
			command.Plural(c.Archived, "memory"), command.Plural(c.Rejected, "question"), command.Plural(c.Removed, "entry"))
		fmt.Fprintln(w, "each can be taken back: winnow audit log, then winnow undo ID; the publishers stay: winnow principal list")
	})
}

// demoResult is the output of the demo.
type demoResult struct {
	Triage   *operate.BacklogResult `json:"triage"`
	Sessions []ops.SessionResult    `json:"sessions"`
	Promoted []promotedLine         `json:"promoted"` // promoted by triage
	File     demoFile               `json:"memory_file"`
	// Digest holds the week's questions for a person, and Reply the result of a
	// one-line answer with the stored memories. Each is absent when there is
	// none.
	Digest  *ops.DigestPage `json:"digest,omitempty"`
	Reply   *ops.Replied    `json:"reply,omitempty"`
	Stored  []promotedLine  `json:"stored"`
	Waiting []ops.Item      `json:"waiting"`        // items that are still open
	Next    *ops.DigestPage `json:"next,omitempty"` // preview of the next digest

	temporary bool
}

type promotedLine struct {
	Rule   string `json:"rule"`
	Memory string `json:"memory"`
	Text   string `json:"text"`
}

// demoFile is the MEMORY.md of one scope after the week.
type demoFile struct {
	Scope string `json:"scope"`
	Text  string `json:"text"`
}

// demoScope is the scope of the sample week with the most memories.
const demoScope = "project:checkout-api"

func runDemo(ctx context.Context, a *command.App, cfg run.Config, temporary bool) error {
	s, err := command.OpenSession(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	week, err := demo.Week()
	if err != nil {
		return err
	}
	if err := seedDemo(ctx, s); err != nil {
		return err
	}
	r := demoResult{temporary: temporary}
	if r.Triage, err = operate.RunBacklog(ctx, a, s, week); err != nil {
		return err
	}
	if r.Triage.Undecided == len(week) {
		a.Say("these proposals were published before: the demo has run here already; see winnow status")
	}
	if r.Sessions, err = demoSessions(ctx, a, s); err != nil {
		return err
	}
	if r.Promoted, err = promotedLines(ctx, s, r.Triage.Decided); err != nil {
		return err
	}
	file, err := s.Ops.MemoryFile(ctx, demoScope)
	if err != nil {
		return err
	}
	r.File = demoFile{demoScope, string(file)}
	if err := demoDigest(ctx, a, s, &r); err != nil {
		return err
	}
	if r.Waiting, err = s.Ops.Waiting(ctx, "", 1000); err != nil {
		return err
	}
	return a.Show(r, r.print)
}

func seedDemo(ctx context.Context, s *command.Session) error {
	registry, err := demo.Registry()
	if err != nil {
		return err
	}
	for _, p := range registry.Principals {
		err := run.RegisterPrincipal(ctx, s.Config, run.Principal{ID: p.ID, Highest: p.Highest, Name: p.Name, Service: p.Service})
		if err != nil {
			return err
		}
	}
	_, err = demo.Seed(ctx, s.Ops)
	return err
}

func promotedLines(ctx context.Context, s *command.Session, decided []*winnowv1.ProposalDecided) ([]promotedLine, error) {
	var lines []promotedLine
	for _, d := range decided {
		if d.GetMemoryId() == "" {
			continue
		}
		m, err := s.Store.Memory(ctx, s.Tenant, d.GetMemoryId())
		if err != nil {
			return nil, err
		}
		lines = append(lines, promotedLine{d.GetRule(), m.ID, m.Text})
	}
	return lines, nil
}
