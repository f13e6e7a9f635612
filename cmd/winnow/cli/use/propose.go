package use

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

// A verdict normally takes milliseconds. After remarkable the person is told
// about the wait; after waitFor, propose and remember return without a verdict.
const (
	remarkable = 10 * time.Second
	waitFor    = time.Minute
	lookEvery  = 300 * time.Millisecond // for a dead letter, when no verdict comes
)

type verdict struct {
	Event    string `json:"event"`
	Proposal string `json:"proposal,omitempty"`
	Decision string `json:"decision,omitempty"`
	Scope    string `json:"scope"`
	Verdict  string `json:"verdict"` // "published" without waiting
	Rule     string `json:"rule,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Memory   string `json:"memory,omitempty"`
	Target   string `json:"target,omitempty"`
}

// proposalFlags are the common flags of propose and remember.
type proposalFlags struct {
	scope, section, kind, title, session string
	tags                                 []string
	noWait                               bool
}

func (f *proposalFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.scope, "scope", "", "where it is remembered: user:, project:, team: or org: (default: the project of this folder)")
	cmd.Flags().StringVar(&f.section, "section", "", "heading of MEMORY.md")
	cmd.Flags().StringVar(&f.kind, "kind", "", "fact, decision, preference, convention, rule or task")
	cmd.Flags().StringVar(&f.title, "title", "", "what it is about, in a few words")
	cmd.Flags().StringVar(&f.session, "session", "", "session that it comes from")
	cmd.Flags().StringSliceVar(&f.tags, "tag", nil, "labels")
	cmd.Flags().BoolVar(&f.noWait, "no-wait", false, "do not wait for the verdict")
}

// proposal returns the event; without --scope it belongs to the project of the folder, as a
// coding agent's hooks see it. An empty --scope is a mistake, and triage's rules say so.
func (f *proposalFlags) proposal(cmd *cobra.Command, text string) (*winnowv1.ProposalCreated, error) {
	scope, err := f.scope, error(nil)
	if !cmd.Flags().Changed("scope") {
		scope, err = local.FindScope(".")
	}
	return &winnowv1.ProposalCreated{
		Id: publish.NewID(), Scope: scope, Text: text, Section: f.section, Kind: f.kind, Title: f.title, Tags: f.tags,
		SessionId: f.session,
	}, err
}

func proposeCommand(a *command.App) *cobra.Command {
	var f proposalFlags
	var as string
	cmd := &cobra.Command{
		Use: "propose TEXT", Short: "Propose a memory and wait for the verdict", Args: command.Exact("TEXT"),
		Example: "  winnow propose \"2026-11-20: redis in `deploy/cache.yaml` moved to 7.4\" --scope project:shop\n" +
			"  winnow propose \"…\" --as ci-bot --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.proposal(cmd, args[0])
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				return submit(ctx, a, s, as, p, f.noWait)
			})
		},
	}
	f.bind(cmd)
	cmd.Flags().StringVar(&as, "as", "", "principal that publishes it (default: the fleet's)")
	return cmd
}

func rememberCommand(a *command.App) *cobra.Command {
	var f proposalFlags
	cmd := &cobra.Command{
		Use: "remember TEXT", Short: "Remember something, as the person that you are", Args: command.Exact("TEXT"),
		Example: "  winnow remember \"we use pnpm, never npm\" --scope project:shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.proposal(cmd, args[0])
			if err != nil {
				return err
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				// A person's observation is now; a publisher must state the time
				// of the observation (D31).
				p.Origin, p.ObservedAt = "human", timestamppb.Now()
				return submit(ctx, a, s, s.Person, p, f.noWait)
			})
		},
	}
	f.bind(cmd)
	return cmd
}

// submit publishes one proposal and prints the verdict. A proposal that became a dead letter
// is an error; one without a verdict in time is work done in part.
func submit(ctx context.Context, a *command.App, s *command.Session, as string, p *winnowv1.ProposalCreated, noWait bool) error {
	waiting, cancel := context.WithTimeout(ctx, waitFor)
	defer cancel()
	decisions, err := s.Decisions(waiting)
	if err != nil {
		return err
	}
	if _, err := s.Publish(waiting, as, []*winnowv1.ProposalCreated{p}, nil); err != nil {
		return err
	}
	v := verdict{Event: p.GetId(), Scope: p.GetScope(), Verdict: "published"}
	var undecided error
	if !noWait {
		d, err := await(waiting, a, s, decisions, p.GetId())
		if errors.Is(err, errDeadLetter) || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if undecided = err; d != nil {
			v = verdict{p.GetId(), d.GetProposalId(), d.GetDecisionId(), p.GetScope(), d.GetVerdict(), d.GetRule(), d.GetReason(), d.GetMemoryId(), d.GetTargetId()}
		}
	}
	return errors.Join(a.Show(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s", v.Verdict)
		if v.Rule != "" {
			fmt.Fprintf(w, "  (%s)  %s", v.Rule, v.Reason)
		}
		fmt.Fprintf(w, "\nin %s\n", v.Scope)
		if v.Proposal != "" {
			fmt.Fprintf(w, "winnow why %s\n", v.Proposal)
		}
	}), undecided)
}

// errDeadLetter means that the event can never be judged as it is.
var errDeadLetter = errors.New("became a dead letter")

// await returns the verdict on an event. Without one within ctx the error is
// [ops.ErrPartial]; a dead letter ends the wait with errDeadLetter and its reason.
func await(ctx context.Context, a *command.App, s *command.Session, decisions <-chan *winnowv1.ProposalDecided, event string) (*winnowv1.ProposalDecided, error) {
	long, look := time.NewTimer(remarkable), time.NewTicker(lookEvery)
	defer long.Stop()
	defer look.Stop()
	var seen uint64 // dead letters up to this one are others'
	for {
		select {
		case d, ok := <-decisions:
			if !ok {
				return nil, fmt.Errorf("published as %s, but not decided within %s; it will be, without you, once triage runs: %w\nsee what is wrong: winnow doctor", event, waitFor, ops.ErrPartial)
			}
			if d.GetEventId() == event {
				return d, nil
			}
		case <-look.C:
			letter, last, err := s.Ops.LetterOf(ctx, event, seen)
			if seen = last; err == nil && letter != nil {
				return nil, fmt.Errorf("the proposal %w: %s\nit is kept: winnow dlq show %d; once mended: winnow dlq replay %d", errDeadLetter, letter.Reason.Text, letter.Seq, letter.Seq)
			}
		case <-long.C:
			a.Say("published and not decided yet; is triage running? see: winnow doctor")
		}
	}
}
