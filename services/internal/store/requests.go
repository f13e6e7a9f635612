package store

import (
	"context"
	"errors"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Errors of a repeated request.
var (
	// ErrReused says that the key was sent before with another request.
	ErrReused = errors.New("the key was sent before with another request")
	// ErrInProgress says that a request with the key has not been answered yet.
	ErrInProgress = errors.New("a request with the key is being answered")
)

// Requests remembers answers to requests over HTTP, so that a repeated request has
// one effect and one answer.
type Requests interface {
	// BeginRequest claims a key for a request until it expires. A key that was
	// answered before returns that answer and true. Otherwise the error is ErrReused,
	// when the key belongs to another request, or ErrInProgress; a claim older than
	// abandoned belongs to a process that ended, and is given away.
	BeginRequest(ctx context.Context, tenant memory.Tenant, key RequestKey, now time.Time) (Answer, bool, error)
	// FinishRequest stores the answer of a claimed key.
	FinishRequest(ctx context.Context, tenant memory.Tenant, key RequestKey, a Answer) error
	// AbandonRequest gives a claim up, so that the request can be sent again.
	AbandonRequest(ctx context.Context, tenant memory.Tenant, key RequestKey) error
}

// How long a claim and an answer are stored.
const (
	AnswerKept       = 24 * time.Hour
	RequestAbandoned = 2 * time.Minute
)

// RequestKey names a request of a principal.
type RequestKey struct {
	Principal string
	Key       string
	Hash      []byte // SHA-256 of method, path, query and body
}

// Answer is a stored answer.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}
