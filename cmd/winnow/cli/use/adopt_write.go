package use

import (
	"context"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/develop"
	"github.com/winnowhq/winnow/cmd/winnow/clients"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

// adopted is the output of winnow adopt --write.
type adopted struct {
	Plan      *local.Adoption       `json:"found"`
	Imported  int                   `json:"imported"` // new entries of memory files
	Published int                   `json:"published"`
	Left      []local.Unread        `json:"left"`
	Sessions  []ops.SessionResult   `json:"sessions"`
	Hooks     *local.InstalledHooks `json:"hooks,omitempty"`
	MCP       *clients.Plan         `json:"mcp,omitempty"`
}

// writePlan executes a plan. The person's own text is imported first, so that a
// session does not propose the same text again. Every step is idempotent.
func writePlan(ctx context.Context, a *command.App, s *command.Session, plan *local.Adoption, f adoptFlags) error {
	done := adopted{Plan: plan, Left: []local.Unread{}, Sessions: []ops.SessionResult{}}
	began := s.Now()
	var err error
	if done.Imported, err = s.Ops.ImportAdopted(ctx, plan); err != nil {
		return err
	}
	client, err := s.Client(s.Person)
	if err != nil {
		return err
	}
	bar := a.Bar(len(plan.Files()), "publish")
	files, left, err := local.PublishAdopted(ctx, client, plan, func(n int) { _ = bar.Set(n) })
	_ = bar.Finish()
	if err != nil {
		return fmt.Errorf("%w\n%d sessions are published; run it again: what is published counts once", err, len(files))
	}
	done.Published, done.Left = len(files), append(done.Left, left...)
	if !f.noHooks {
		if done.Hooks, err = installHooks(s); err != nil {
			return err
		}
	}
	if !f.noMCP {
		if done.MCP, err = installServer(a); err != nil {
			return err
		}
	}
	if !f.noWait {
		r := published{began: began}
		for _, file := range files {
			r.Sessions = append(r.Sessions, ops.SessionResult{SessionFile: file})
		}
		if err := followSessions(ctx, a, s, s.Person, f.timeout, &r); err != nil {
			return err
		}
		done.Sessions = append(done.Sessions, r.Sessions...)
	}
	return a.Show(done, func(w io.Writer) { done.print(w, !f.noWait) })
}

// installHooks installs hooks that make the person's agent call this program.
// The hooks name the state folder of a winnow dev in an unusual folder, because
// a hook does not have the environment of this shell.
func installHooks(s *command.Session) (*local.InstalledHooks, error) {
	home, err := local.FindHome()
	if err != nil {
		return nil, err
	}
	program, err := command.Program()
	if err != nil {
		return nil, err
	}
	var args []string
	if s.Dev && !run.UsualStateDir(s.Config) {
		args = append(args, "--state-dir", s.Config.StateDir)
	}
	agent, _ := local.FindHookAgent("claude")
	done, err := local.InstallHooks(agent, agent.File(home), program, args...)
	return &done, err
}

// installServer installs the MCP server, with which the person's agent searches
// and records.
func installServer(a *command.App) (*clients.Plan, error) {
	s, err := develop.Server(a, "", false)
	if err != nil {
		return nil, err
	}
	plan, err := develop.Planned("claude", s, false)
	if err != nil {
		return nil, err
	}
	return plan, plan.Write()
}

func (d adopted) print(w io.Writer, waited bool) {
	fmt.Fprintf(w, "imported   %s of memory files\n", command.Plural(d.Imported, "new entry"))
	known, waiting, verdicts := 0, 0, map[string]int{}
	for _, s := range d.Sessions {
		switch {
		case s.Before:
			known++
			continue // its lessons were printed then
		case s.State == ops.SessionPublished, s.State == ops.SessionIngested:
			waiting++
		case s.State == ops.SessionRefused:
			fmt.Fprintf(w, "refused    %s: %s\n", s.File, s.Problem)
		}
		for _, p := range s.Proposals {
			verdicts[p.State]++
		}
	}
	fmt.Fprintf(w, "published  %s", command.Plural(d.Published, "session"))
	if known > 0 {
		fmt.Fprintf(w, ", %d known already", known)
	}
	fmt.Fprintln(w)
	for _, u := range d.Left {
		fmt.Fprintf(w, "left       %s: %s\n", u.File, u.Problem)
	}
	switch {
	case !waited:
		fmt.Fprintln(w, "learned    they are being read; see: winnow status")
	case waiting > 0:
		fmt.Fprintf(w, "learned    %s so far; %d sessions are still being read\n", command.Counts(verdicts), waiting)
	default:
		fmt.Fprintf(w, "learned    %s\n", command.Counts(verdicts))
	}
	if d.Hooks != nil {
		fmt.Fprintf(w, "hooks      %s\n", hooksLine(*d.Hooks))
	}
	if d.MCP != nil {
		fmt.Fprintf(w, "MCP server %s\n", serverLine(d.MCP))
	}
	fmt.Fprint(w, "\nNext\n  winnow review      decide what is left\n  winnow search …    find what was learned\n")
}

func hooksLine(h local.InstalledHooks) string {
	switch {
	case len(h.Added) == 0:
		return "in " + h.File + " already"
	case h.Backup == "":
		return "installed in " + h.File
	}
	return "installed in " + h.File + "; as it was: " + h.Backup
}

func serverLine(p *clients.Plan) string {
	switch {
	case p.Diff == "":
		return "in " + p.File + " already"
	case p.Backup == "":
		return "registered in " + p.File
	}
	return "registered in " + p.File + "; as it was: " + p.Backup
}
