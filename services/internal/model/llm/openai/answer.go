package openai

import (
	"errors"
	"fmt"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/wire"
)

// answerOf returns the first choice. An empty text is an answer, which the caller
// judges.
func answerOf(r openai.ChatCompletionResponse) (llm.Answer, error) {
	if len(r.Choices) == 0 {
		return llm.Answer{}, &wire.Unreadable{Err: errors.New("no choices")}
	}
	choice := r.Choices[0]
	a := llm.Answer{
		Text: choice.Message.Content, Model: r.Model, Stop: llm.StopDone,
		InputTokens: r.Usage.PromptTokens, OutputTokens: r.Usage.CompletionTokens,
	}
	switch {
	case choice.Message.Refusal != "" || choice.FinishReason == openai.FinishReasonContentFilter:
		a.Stop = llm.StopRefusal
	case choice.FinishReason == openai.FinishReasonLength:
		a.Stop = llm.StopLength
	}
	return a, nil
}

// named wraps an error in the sentinel of the port, with the setting where one is to
// blame.
func named(err error) error {
	if u := (*wire.Unreadable)(nil); errors.As(err, &u) {
		return fmt.Errorf("%s: %w", u, llm.ErrAnswer) //nolint:errorlint // the port has its own errors, a client has none of the wire
	}
	f := (*wire.Fault)(nil)
	if !errors.As(err, &f) {
		return fmt.Errorf("%w: %w", err, llm.ErrRefused)
	}
	if f.Class() != wire.Permanent {
		err := fmt.Errorf("%s: %w", f, llm.ErrUnavailable) //nolint:errorlint // the port has its own errors, a client has none of the wire
		if f.Wait > 0 {
			return &llm.Busy{Wait: f.Wait, Err: err}
		}
		return err
	}
	hint := "check the model's name and shorten the question"
	switch {
	case f.Code == wire.NoQuota:
		hint = "the account is empty"
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		hint = "check the key"
	case f.Status == http.StatusNotFound:
		hint = "check the address and the model's name"
	case f.Status == http.StatusRequestEntityTooLarge:
		hint = "shorten the question"
	}
	return fmt.Errorf("%s; %s: %w", f, hint, llm.ErrRefused) //nolint:errorlint // the port has its own errors, a client has none of the wire
}
