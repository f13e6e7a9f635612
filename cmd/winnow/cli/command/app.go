package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

// App holds the state that all commands share: streams, settings and the output
// format.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Flags    *run.Flags
	JSON     bool
}

// Settings returns the configuration of this call.
func (a *App) Settings() (run.Config, error) {
	cfg, _, err := a.Flags.Load()
	return cfg, err
}

// Session is an operation's connection to a running installation.
type Session struct {
	*run.Session
	Ops *ops.Ops // operations in the person's name
}

// open connects. Commands log warnings and errors only, because their other
// output is for people.
func (a *App) open(ctx context.Context) (*Session, error) {
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	return OpenSession(ctx, cfg)
}

// OpenSession connects with the given settings; the caller closes the session.
func OpenSession(ctx context.Context, cfg run.Config) (*Session, error) {
	s, err := run.Open(ctx, cfg, zap.NewNop())
	if err != nil {
		return nil, err
	}
	return &Session{Session: s, Ops: &ops.Ops{
		Store: s.Store, DeadLetters: s.DeadLetters, Redactor: s.Redactor,
		Tenant: s.Tenant, Person: s.Person, Digest: digest.Asking(s.Config.Workers), Consolidation: consolidate.Settings.In(s.Config.Workers).Config, Now: s.Now, NewID: s.NewID,
		Recall: s.Recall, Index: s.Index, Truth: s.Truth, Meaning: s.Meaning,
	}}, nil
}

// With opens a session, runs fn and closes it.
func (a *App) With(cmd *cobra.Command, fn func(context.Context, *Session) error) error {
	s, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(cmd.Context(), s)
}
