package store

import (
	"context"
	"errors"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// ErrBudget says that a tenant's models have cost what they may cost in a day.
var ErrBudget = errors.New("the day's budget is spent")

// Sessions reads what ingest stored.
type Sessions interface {
	// Session is one session by its id, or ErrNotFound.
	Session(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error)
	// Sessions lists sessions, the newest first.
	Sessions(ctx context.Context, tenant memory.Tenant, q SessionQuery) ([]memory.Session, error)
	// Trace is what was said in a session, as change.Trace holds it, or
	// ErrNotFound when there is no such session or its trace was kept long
	// enough.
	Trace(ctx context.Context, tenant memory.Tenant, id string) ([][]byte, error)
	// Heard lists the sessions of these names in which words from outside were
	// heard, the newest of each name first and at most MaxHeard of it.
	Heard(ctx context.Context, tenant memory.Tenant, names []change.SessionName) ([]HeardSession, error)
}

// MaxHeard is how many sessions of one name Heard returns.
const MaxHeard = 64

// HeardSession is a session in which words from outside were heard.
type HeardSession struct {
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

// Calls keeps what models were asked and what they answered, so that the same
// question is paid once, whatever dies in between.
type Calls interface {
	// BeginCall notes that a question is being asked and returns what is known
	// of it: with an AnsweredAt, nobody needs to ask again. A question that was
	// begun before and not answered may be asked again under its key, and counts
	// once. The error is ErrBudget when perDay tokens (0: any number) of this
	// tenant's day, in UTC, would be exceeded by what the call expects.
	BeginCall(ctx context.Context, tenant memory.Tenant, call ModelCall, perDay int) (ModelCall, error)
	// FinishCall keeps the answer. The first one stays.
	FinishCall(ctx context.Context, tenant memory.Tenant, call ModelCall) error
	// Spent is how many calls were begun since a time, and their tokens.
	Spent(ctx context.Context, tenant memory.Tenant, since time.Time) (calls, tokens int, err error)
}

// ModelCall is one question to a model.
type ModelCall struct {
	Key     string // what makes it the same question: purpose, model, prompt and subject, hashed
	Purpose string // such as distill
	Model   string
	Prompt  string // version of the prompt
	Subject string // the id of what it is about, such as a session
	At      time.Time
	// Expected is what the call is taken to cost until the answer says it, in
	// tokens.
	Expected int

	AnsweredAt   time.Time // zero until it was
	Answer       string    // redacted
	Stop         string    // why the answer ended: stop, length, refusal
	InputTokens  int
	OutputTokens int
}
