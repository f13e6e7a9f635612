package use

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

type publishFlags struct {
	local.SessionOptions
	as       string
	wait     bool
	timeout  time.Duration
	markdown bool
}

func publishCommand(a *command.App) *cobra.Command {
	var f publishFlags
	cmd := &cobra.Command{
		Use: "publish FILE|DIR|-…", Short: "Publish finished sessions, or proposals, from files",
		Long: "A file is one session, in any format that Winnow reads: its own, a transcript\n" +
			"of Claude Code or Codex, chat messages, a SWE-agent trajectory, or text. Of a folder,\n" +
			"every file that ends like a trace. What the subagents of a Claude Code session said is\n" +
			"published with it. Publishing the same file again has no further effect.\n" +
			"A file whose lines are proposals ({\"scope\": …, \"text\": …}) publishes those.",
		Example: "  winnow publish session.jsonl --wait              # and see what it teaches\n" +
			"  winnow publish traces/ --scope project:shop --json\n" +
			"  winnow publish run.traj --outcome failure --as ci-bot\n" +
			"  winnow publish proposals.jsonl --as ci-bot\n" +
			`  echo '{"scope":"project:shop","text":"…"}' | winnow publish -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("which file? for example: winnow publish session.jsonl")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Validate(); err != nil {
				return command.Usage(err)
			}
			batch, err := toPublish(a, args, f)
			if err != nil {
				return err
			}
			defer batch.remove()
			return a.With(cmd, func(ctx context.Context, s *command.Session) error { return runPublish(ctx, a, s, batch, f) })
		},
	}
	cmd.Flags().StringVar(&f.Scope, "scope", "", "where sessions belong (default: the project's, from git or .winnow.yaml)")
	cmd.Flags().StringVar(&f.Project, "project", "", "their project (default: from git or .winnow.yaml, else what the trace says)")
	cmd.Flags().StringVar(&f.Outcome, "outcome", "", "how they ended: success or failure (default: inferred from the trace)")
	cmd.Flags().StringVar(&f.Format, "format", "", "winnow, claude-code, codex, openai-chat, swe-agent or text (default: recognised)")
	cmd.Flags().StringVar(&f.as, "as", "", "principal that publishes (default: the fleet's, or what a proposal's line says)")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "wait until what sessions teach is decided, and show it")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 2*time.Minute, "how long --wait waits")
	cmd.Flags().BoolVar(&f.markdown, "md", false, "take Markdown files of folders for traces, too")
	return cmd
}

// publication holds the sessions and proposals of a call of publish.
type publication struct {
	proposals []local.Submission
	traces    []string
	unread    []local.Unread
	shown     map[string]string // display name by file
	temporary string
}

func (p *publication) remove() {
	if p.temporary != "" {
		_ = os.RemoveAll(filepath.Dir(p.temporary))
	}
}

// toPublish separates sessions from proposals.
func toPublish(a *command.App, args []string, f publishFlags) (*publication, error) {
	p := &publication{shown: map[string]string{}}
	var paths []string
	for _, arg := range args {
		if arg != "-" {
			paths = append(paths, arg)
			continue
		}
		text, err := io.ReadAll(a.In)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command.StandardInput, err)
		}
		if local.AreProposals(bytes.NewReader(text)) {
			if err := p.addProposals(command.StandardInput, text, f.as); err != nil {
				return nil, err
			}
			continue
		}
		if p.temporary, err = command.SaveInput(text); err != nil {
			return nil, err
		}
		p.traces, p.shown[p.temporary] = append(p.traces, p.temporary), command.StandardInput
	}
	found, unread := local.FindTraces(paths, f.markdown)
	p.unread = unread
	for _, name := range found {
		if !local.HoldsProposals(name) {
			p.traces = append(p.traces, name)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := p.addProposals(name, text, f.as); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *publication) addProposals(name string, text []byte, as string) error {
	list, err := local.ParseSubmissions(text)
	if err != nil {
		return command.Usagef("%s: %w", name, err)
	}
	for i := range list {
		if as != "" {
			list[i].Principal = as
		}
	}
	p.proposals = append(p.proposals, list...)
	return nil
}

// published is the output of publish.
type published struct {
	Proposals  int                 `json:"proposals"`
	Published  int                 `json:"published"`  // sessions
	Duplicates int                 `json:"duplicates"` // sessions that were published before
	Sessions   []ops.SessionResult `json:"sessions"`
	Unread     []local.Unread      `json:"unread"`

	began  time.Time
	waited bool
}

func runPublish(ctx context.Context, a *command.App, s *command.Session, batch *publication, f publishFlags) error {
	r := published{Sessions: []ops.SessionResult{}, Unread: append([]local.Unread{}, batch.unread...), began: s.Now(), waited: f.wait}
	if len(batch.proposals) > 0 {
		n, err := a.PublishAll(ctx, s, batch.proposals)
		r.Proposals = n
		a.Say("published %d of %d proposals", n, len(batch.proposals))
		if err != nil {
			return err
		}
	}
	if err := publishSessions(ctx, a, s, batch, f, &r); err != nil {
		return err
	}
	if len(batch.traces) > 0 || len(r.Unread) > 0 {
		a.Say("published %d of %d sessions", r.Published, len(batch.traces)+len(batch.unread))
	}
	if f.wait {
		if err := followSessions(ctx, a, s, f.as, f.timeout, &r); err != nil {
			return err
		}
	}
	if err := a.Show(r, r.print); err != nil {
		return err
	}
	return r.fault()
}

func publishSessions(ctx context.Context, a *command.App, s *command.Session, batch *publication, f publishFlags, r *published) error {
	client, err := s.Client(f.as)
	if err != nil {
		return command.Usage(err)
	}
	bar := a.Bar(len(batch.traces), "publish")
	defer func() { _ = bar.Finish() }()
	for _, name := range batch.traces {
		file, err := local.ReadSession(name, f.SessionOptions)
		if shown := batch.shown[name]; shown != "" {
			file.File = shown
		}
		duplicate := false
		if err == nil {
			known, storeErr := s.Ops.Ingested(ctx, file, f.as)
			if storeErr != nil {
				return fmt.Errorf("%s: %w", name, storeErr)
			}
			sent := file
			sent.File = name
			receipt, sendErr := local.PublishSession(ctx, client, sent)
			if sendErr != nil && !errors.Is(sendErr, local.ErrChanged) {
				return fmt.Errorf("%s: %w\n%d sessions are published; run it again: what is published counts once", name, sendErr, r.Published)
			}
			err, duplicate, file.Place = sendErr, known || receipt.Duplicate, receipt.Sequence
		}
		_ = bar.Add(1)
		if err != nil {
			r.Unread = append(r.Unread, local.Unread{File: filepath.ToSlash(name), Problem: err.Error()})
			continue
		}
		if r.Published++; duplicate {
			r.Duplicates++
		}
		r.Sessions = append(r.Sessions, ops.SessionResult{SessionFile: file, State: ops.SessionPublished, Before: duplicate, Proposals: []ops.SessionProposal{}})
	}
	return nil
}

// followSessions waits for the verdicts on the sessions' proposals.
func followSessions(ctx context.Context, a *command.App, s *command.Session, as string, timeout time.Duration, r *published) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	files := make([]local.SessionFile, 0, len(r.Sessions))
	for _, one := range r.Sessions {
		files = append(files, one.SessionFile)
	}
	bar := a.Bar(len(files), "distill")
	results, err := s.Ops.Follow(ctx, files, ops.FollowOptions{
		Principal: as, Since: r.began, Settled: func(ctx context.Context) uint64 { return settledByIntake(ctx, s) }, Done: func(n int) { _ = bar.Set(n) },
	})
	_ = bar.Finish()
	if err != nil {
		return err
	}
	r.Sessions = results
	return nil
}

// settledByIntake returns the stream position up to which ingest has handled
// every session.
func settledByIntake(ctx context.Context, s *command.Session) uint64 {
	for _, d := range fleet.All {
		if d.Name == "ingest" && d.Durable.Name != "" {
			seq, err := s.Settled(ctx, d)
			if err != nil {
				return 0 // the next poll asks again
			}
			return seq
		}
	}
	return 0
}

// fault returns the error of a call that was only partly successful.
func (r published) fault() error {
	refused := 0
	for _, s := range r.Sessions {
		if s.State == ops.SessionRefused {
			refused++
		}
	}
	switch bad := len(r.Unread) + refused; {
	case bad == 0:
		return nil
	case r.Published == refused && r.Proposals == 0:
		return fmt.Errorf("none of %d could be published", bad)
	default:
		return fmt.Errorf("%w: %d could not be published", ops.ErrPartial, bad)
	}
}
