package demo

import (
	"embed"
	"path"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
)

// The sessions of the sample week: a fix with its error, something that a person
// asked to remember (beside a password), and a page that gives orders.
//
//go:embed sessions/*.jsonl
var sessionFiles embed.FS

const (
	// SessionPrincipal publishes the sessions: a person's own agent works in
	// that person's name.
	SessionPrincipal = "dana"
	sessionScope     = "project:checkout-api"
)

// Session is a session of the sample week, ready to be published and
// followed.
type Session struct {
	local.SessionFile
	Event *winnowv1.SessionCompleted
}

// Sessions returns the sessions of the sample week, by name.
func Sessions() ([]Session, error) {
	const dir = "sessions"
	entries, err := sessionFiles.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, e := range entries {
		trace, err := sessionFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		id := "demo-session-" + e.Name()
		list = append(list, Session{
			SessionFile: local.SessionFile{File: e.Name(), Scope: sessionScope, Session: id, EventID: id, Bytes: int64(len(trace))},
			Event: &winnowv1.SessionCompleted{
				Id: id, SessionId: id, Scope: sessionScope, Trace: &winnowv1.SessionCompleted_Inline{Inline: trace},
			},
		})
	}
	return list, nil
}
