package openai

import (
	"errors"
	"net/http"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// manner is how a request is made. Servers differ in two points: whether they
// take a schema, and what they call the bound of an answer.
type manner struct {
	plain   bool // no schema; the question says in words what is wanted
	renamed bool // max_completion_tokens in place of max_tokens
}

// manners remembers what a server turned out to want, for as long as the process
// lives: asking with a schema first costs one refused request, once. Safe for
// concurrent use.
type manners struct{ plain, renamed atomic.Bool }

func (m *manners) known() manner { return manner{m.plain.Load(), m.renamed.Load()} }

// learn keeps a manner that went through.
func (m *manners) learn(went manner) {
	if went.plain {
		m.plain.Store(true)
	}
	if went.renamed {
		m.renamed.Store(true)
	}
}

// next is what to try after a refusal, if anything. A server that blames the
// bound is believed. Otherwise the schema goes: servers say in many ways that
// they know none, and the proof is that the same question without it is answered.
func (m manner) next(q llm.Question, err error) (manner, bool) {
	f := (*wire.Fault)(nil)
	known := errors.As(err, &f) && form(f)
	switch {
	case !m.renamed && (known && f.Param == "max_tokens" || errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated)):
		m.renamed = true
		return m, true
	case known && !m.plain && q.Schema != nil:
		m.plain = true
		return m, true
	}
	return m, false
}

// form says that the server does not like how the request is made, as far as
// its status tells.
func form(f *wire.Fault) bool {
	return f.Status == http.StatusBadRequest || f.Status == http.StatusUnprocessableEntity || f.Status == http.StatusNotImplemented
}

// request is a question in this manner.
func (m manner) request(c Config, q llm.Question) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: c.Model, Messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: q.System},
		{Role: openai.ChatMessageRoleUser, Content: q.User},
	}}
	if q.System == "" {
		r.Messages = r.Messages[1:]
	}
	bound := wire.Positive(q.MaxTokens, c.MaxTokens)
	if m.renamed {
		r.MaxCompletionTokens = bound
	} else {
		r.MaxTokens = bound
	}
	if q.Schema != nil && !m.plain {
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: schemaName(q), Schema: q.Schema, Strict: true},
		}
	}
	return r
}

func schemaName(q llm.Question) string {
	if q.SchemaName == "" {
		return "answer"
	}
	return q.SchemaName
}
