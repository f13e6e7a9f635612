package ops

import (
	"embed"
	"path"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// The sessions of the sample week: a fix with its error, something that a person
// asked to remember (beside a password), and a page that gives orders.
//
//go:embed demo/sessions/*.jsonl
var sessionFiles embed.FS

const (
	// DemoSessionPrincipal publishes them: a person's own agent works in their
	// name.
	DemoSessionPrincipal = "dana"
	demoSessionScope     = "project:checkout-api"
)

// DemoSession is a session of the sample week, ready to be published and
// followed.
type DemoSession struct {
	SessionFile
	Event *winnowv1.SessionCompleted
}

// DemoSessions are those of the sample week, by name.
func DemoSessions() ([]DemoSession, error) {
	const dir = "demo/sessions"
	entries, err := sessionFiles.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []DemoSession
	for _, e := range entries {
		trace, err := sessionFiles.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		id := "demo-session-" + e.Name()
		list = append(list, DemoSession{
			SessionFile: SessionFile{File: e.Name(), Scope: demoSessionScope, Session: id, EventID: id, Bytes: int64(len(trace))},
			Event: &winnowv1.SessionCompleted{
				Id: id, SessionId: id, Scope: demoSessionScope, Trace: &winnowv1.SessionCompleted_Inline{Inline: trace},
			},
		})
	}
	return list, nil
}
