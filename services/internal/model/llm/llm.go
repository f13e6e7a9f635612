package llm

import (
	"context"
	"encoding/json"
)

// Model answers questions. It is safe for concurrent use.
type Model interface {
	// ID returns the model's configured name, such as gpt-4o-mini.
	ID() string
	// Complete answers one question. A driver may retry transient failures within the
	// call; its error is one of this package's, wrapped, or that of ctx.
	Complete(ctx context.Context, q Question) (Answer, error)
}

// Question is one request.
type Question struct {
	// Key is an idempotency key: it identifies a repeated request, on servers that know
	// such keys.
	Key    string
	System string
	User   string
	// Schema asks for an answer in JSON that fits it, where the server can. Nil asks
	// for text. The caller must be able to read both, because not every server
	// complies.
	Schema     json.RawMessage
	SchemaName string
	MaxTokens  int // of the answer; 0 is the driver's default
}

// Answer is a model's answer.
type Answer struct {
	Text         string
	Model        string // as the server calls it
	Stop         Stop
	InputTokens  int // 0 where the server does not say
	OutputTokens int
}

// Stop is why an answer ended.
type Stop string

// The reasons. An answer cut at its length is still an answer.
const (
	StopDone    Stop = "stop"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)
