package store

import (
	"context"
	"errors"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// ErrBudget says that a tenant's models have used up the token budget of the
// day.
var ErrBudget = errors.New("the day's budget is spent")

// Sessions reads the sessions that ingest stored.
type Sessions interface {
	// Session returns one session by its id, or ErrNotFound.
	Session(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error)
	// Sessions lists sessions, the newest first.
	Sessions(ctx context.Context, tenant memory.Tenant, q SessionQuery) ([]memory.Session, error)
	// Trace returns the chunks of a session's trace, as in change.Trace. The
	// error is ErrNotFound when the session is unknown or retention has deleted
	// its trace.
	Trace(ctx context.Context, tenant memory.Tenant, id string) ([][]byte, error)
	// ExternalSessions lists the sessions with these names that contain external words, the
	// newest of each name first, at most MaxExternalSessions of each name.
	ExternalSessions(ctx context.Context, tenant memory.Tenant, names []change.SessionName) ([]ExternalSession, error)
}

// MaxExternalSessions bounds the sessions of one name that ExternalSessions returns.
const MaxExternalSessions = 64

// ExternalSession is a session that contains external words.
type ExternalSession struct {
	change.SessionName
	ID      string
	Format  string
	Highest memory.Origin
}

// SessionQuery selects sessions. Empty fields select all.
type SessionQuery struct {
	Scope     memory.Scope
	Principal string
	Name      string
	Hash      string
	State     memory.SessionState
	Before    string // an id; exclusive
	Limit     int    // default 100
}

// Calls stores the questions to models and their answers, so that a question is
// paid for once, even when a process dies before the answer is used.
type Calls interface {
	// BeginCall records that a question is being asked and returns the stored
	// call. A non-zero AnsweredAt means that the answer is stored and no call is
	// needed. A question that was begun and not answered may be asked again
	// under its key, and counts once. The error is ErrBudget when the expected
	// tokens of the call would exceed perDay tokens (0: no limit) of the
	// tenant's day in UTC.
	BeginCall(ctx context.Context, tenant memory.Tenant, call ModelCall, perDay int) (ModelCall, error)
	// FinishCall stores the answer. A second answer does not replace the first.
	FinishCall(ctx context.Context, tenant memory.Tenant, call ModelCall) error
	// Spent returns the number of calls begun since a time, and their tokens.
	Spent(ctx context.Context, tenant memory.Tenant, since time.Time) (calls, tokens int, err error)
}

// ModelCall is one question to a model.
type ModelCall struct {
	Key     string // identity of the question: hash of purpose, model, prompt and subject
	Purpose string // such as distill
	Model   string
	Prompt  string // version of the prompt
	Subject string // id of the row that the question is about, such as a session
	At      time.Time
	// Expected is the estimated cost in tokens. It counts until the answer
	// reports the actual tokens.
	Expected int

	AnsweredAt   time.Time // zero before the answer
	Answer       string    // redacted
	Stop         string    // why the answer ended: stop, length, refusal
	InputTokens  int
	OutputTokens int
}
