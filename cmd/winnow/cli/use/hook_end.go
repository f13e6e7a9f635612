package use

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/run"
)

// endTimeout bounds the time for which an ending agent waits for the hook,
// unless the agent sets another timeout.
const endTimeout = 3 * time.Second

// endedSession is a coding agent's message at the end of a session. Other fields
// are ignored.
type endedSession struct {
	SessionID  string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Dir        string `json:"cwd"`
	// Cursor's names for two of them.
	Conversation string   `json:"conversation_id"`
	Roots        []string `json:"workspace_roots"`
}

// named returns the message with its fields under the usual names.
func (s endedSession) named() endedSession {
	s.SessionID = cmp.Or(s.SessionID, s.Conversation)
	if s.Dir == "" && len(s.Roots) > 0 {
		s.Dir = s.Roots[0]
	}
	return s
}

func hookSessionEnd(a *command.App) *cobra.Command {
	return publishing(a, false, &cobra.Command{
		Use: "session-end", Short: "Publish the session that a coding agent has just ended", Args: cobra.NoArgs,
		Long: "Reads the hook's JSON (session_id, transcript_path, cwd) and publishes the\n" +
			"transcript, with those of its subagents, in your name and in the scope of its\n" +
			"project. It never disturbs the agent: it ends within --timeout and with 0, and what\n" +
			"it could not do is one line on standard error. When no Winnow runs it notes where\n" +
			"the transcript lies; the next winnow dev, or the next hook, publishes it.",
		Example: "  winnow hook session-end < hook.json\n" +
			"  echo '{\"session_id\":\"s1\",\"transcript_path\":\"s1.jsonl\",\"cwd\":\".\"}' | winnow hook session-end",
	})
}

func hookSessionNote(a *command.App) *cobra.Command {
	return publishing(a, true, &cobra.Command{
		Use: "session-note", Short: "Note the session that a coding agent is in, in case its end is never told", Args: cobra.NoArgs,
		Long: "Reads the hook's JSON (session_id, transcript_path, cwd) and notes where the\n" +
			"transcript lies: before a compaction, or at the end of a turn where an agent has no\n" +
			"event for the end of a session. The transcript is published when it has not changed\n" +
			"for an hour, by the next hook or winnow dev; session-end publishes it at once.",
		Example: "  winnow hook session-note < hook.json",
	})
}

// publishing lets a command do what an agent's message asks for, within a time and with
// exit code 0: a hook never disturbs the agent.
func publishing(a *command.App, open bool, cmd *cobra.Command) *cobra.Command {
	var timeout time.Duration
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
		defer cancel()
		if err := endSession(ctx, a, open); err != nil {
			a.Say("winnow: %s", oneLine(err))
		}
		return nil
	}
	cmd.Flags().DurationVar(&timeout, "timeout", endTimeout, "how long the agent waits at most")
	return cmd
}

// endSession publishes the ended session and the spooled ones; an open one is only noted.
// A session that cannot be published now is spooled first of all, so that no later failure
// loses it, not even the end of this process.
func endSession(ctx context.Context, a *command.App, open bool) error {
	var hook endedSession
	text, err := io.ReadAll(io.LimitReader(a.In, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &hook)
	}
	hook = hook.named()
	switch {
	case err != nil:
		return fmt.Errorf("the hook's JSON cannot be read: %w", err)
	case hook.Transcript == "" && open:
		return nil // nothing to note yet
	case hook.Transcript == "":
		return errors.New("the hook names no transcript_path; nothing is published")
	}
	if hook.Transcript, err = filepath.Abs(hook.Transcript); err != nil {
		return err
	}
	if session, part := local.SessionOf(hook.Transcript); part {
		return fmt.Errorf("the transcript is a subagent's; it is published with its session, %s", session)
	}
	cfg, err := a.Settings()
	if err != nil {
		return err
	}
	dir, err := run.SpoolDir(cfg)
	if err != nil {
		return err
	}
	spool := local.OpenSpool(dir)
	if err := spool.Put(local.SpooledSession{Transcript: hook.Transcript, SessionID: hook.SessionID, Dir: hook.Dir, At: time.Now().UTC(), Open: open}); err != nil {
		return err
	}
	n, err := publishSpooled(ctx, a, cfg, spool)
	switch {
	case open && err != nil:
		return nil //nolint:nilerr // it is noted, which is all that was asked for
	case errors.Is(err, run.ErrNoInstance):
		return errors.New("no Winnow runs here: the session is published when one does (winnow dev)")
	case err != nil:
		return fmt.Errorf("the session is published later: %w", err)
	case n > 1:
		a.Say("winnow: published %d sessions, those of before included", n)
	}
	return nil
}

// publishSpooled publishes the spooled sessions in the person's name and returns
// their number. A session that can never be published is reported once and
// dropped.
func publishSpooled(ctx context.Context, a *command.App, cfg run.Config, spool local.Spool) (int, error) {
	waiting, err := spool.List()
	if err != nil || !slices.ContainsFunc(waiting, func(one local.SpooledSession) bool { return one.Ready(time.Now()) }) {
		return 0, err
	}
	bus, err := run.OpenBus(ctx, cfg)
	if err != nil {
		return 0, err
	}
	defer bus.Close()
	client, err := bus.Client(cfg.Person)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, one := range waiting {
		if !one.Ready(time.Now()) {
			continue
		}
		file, err := local.ReadSession(one.Transcript, local.SessionOptions{SessionID: one.SessionID, Dir: one.Dir, Glance: one.SessionID != ""})
		if err != nil {
			a.Say("winnow: %s: %s", one.Transcript, oneLine(err))
		} else if _, err := local.PublishSession(ctx, client, file); err != nil {
			return n, err
		} else {
			n++
		}
		if err := spool.Done(one); err != nil {
			return n, err
		}
	}
	return n, nil
}

// oneLine returns an error as one line, for the middle of another program's
// output.
func oneLine(err error) string {
	return command.Short(strings.ReplaceAll(err.Error(), "\n", "; "), 300)
}

// publishWaiting publishes the spooled sessions after a start of Winnow, so that
// sessions that ended before are not lost.
func publishWaiting(ctx context.Context, a *command.App, cfg run.Config) {
	dir, err := run.SpoolDir(cfg)
	if err != nil {
		return // without a state folder nothing is spooled
	}
	switch n, err := publishSpooled(ctx, a, cfg, local.OpenSpool(dir)); {
	case err != nil && ctx.Err() == nil:
		a.Say("sessions that ended before are not published yet: %s", oneLine(err))
	case n > 0:
		a.Say("published %d sessions that ended while winnow dev did not run", n)
	}
}
