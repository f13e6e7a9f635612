package openai

import (
	"errors"
	"net/http"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// form is the form of a request. Servers differ in two points: whether they accept a
// schema, and the name of the bound of an answer.
type form struct {
	plain   bool // no schema; the question says in words what is wanted
	renamed bool // max_completion_tokens in place of max_tokens
}

// forms remembers the form that a server accepts, for the life of the process: trying a
// schema first costs one refused request, once. Safe for concurrent use.
type forms struct{ plain, renamed atomic.Bool }

func (m *forms) known() form { return form{m.plain.Load(), m.renamed.Load()} }

// learn stores a form that was accepted.
func (m *forms) learn(went form) {
	if went.plain {
		m.plain.Store(true)
	}
	if went.renamed {
		m.renamed.Store(true)
	}
}

// next returns the form to try after a refusal, if any. A server that blames the bound
// is believed. Otherwise the schema is dropped: servers report in many ways that they
// know none, and the proof is that the same question without it is answered.
func (m form) next(q llm.Question, err error) (form, bool) {
	f := (*wire.Fault)(nil)
	known := errors.As(err, &f) && blamesForm(f)
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

// blamesForm reports whether the status says that the server rejects the form of the
// request.
func blamesForm(f *wire.Fault) bool {
	return f.Status == http.StatusBadRequest || f.Status == http.StatusUnprocessableEntity || f.Status == http.StatusNotImplemented
}

// request returns a question in this form.
func (m form) request(c Config, q llm.Question) openai.ChatCompletionRequest {
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
		r.MaxTokens = bound //nolint:staticcheck // servers older than its successor know no other name
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
