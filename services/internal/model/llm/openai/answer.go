package openai

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/winnowhq/winnow/services/internal/model/llm"
)

// answerOf reads the first choice. An empty text is an answer: whoever asked
// judges it.
func answerOf(r openai.ChatCompletionResponse) (llm.Answer, error) {
	if len(r.Choices) == 0 {
		return llm.Answer{}, &garbled{errors.New("no choices")}
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

// garbled is an answer of status 200 that cannot be read: not JSON, cut off, too
// long, without a choice. What the reader says of it could quote text and is not
// shown.
type garbled struct{ err error }

func (g *garbled) Error() string {
	if tooLong := g.tooLong(); tooLong != nil {
		return fmt.Sprintf("answer longer than %d bytes", tooLong.Limit)
	}
	return "answer is not what the protocol says"
}

func (g *garbled) tooLong() *http.MaxBytesError {
	var e *http.MaxBytesError
	if errors.As(g.err, &e) {
		return e
	}
	return nil
}

// again says whether a request may be made once more. A garbled answer is,
// because a cut connection looks like one; one that was too long was paid for
// and would be as long again.
func again(err error) bool {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f.passing()
	}
	g := (*garbled)(nil)
	return errors.As(err, &g) && g.tooLong() == nil
}

// asked is how long the server asked to be left alone, 0 when it did not.
func asked(err error) time.Duration {
	if f := (*fault)(nil); errors.As(err, &f) && f.passing() {
		return f.after
	}
	return 0
}

// named gives an error the sentinel of the port and, where a setting is to
// blame, says which.
func named(err error) error {
	if g := (*garbled)(nil); errors.As(err, &g) {
		return fmt.Errorf("%s: %w", g, llm.ErrAnswer)
	}
	f := (*fault)(nil)
	if !errors.As(err, &f) {
		return fmt.Errorf("%w: %w", err, llm.ErrRefused)
	}
	if f.passing() {
		err := fmt.Errorf("%s: %w", f, llm.ErrUnavailable)
		if f.after > 0 {
			return &llm.Busy{Wait: f.after, Err: err}
		}
		return err
	}
	hint := "check the model's name and shorten the question"
	switch {
	case f.code == noMoney:
		hint = "the account is empty"
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden:
		hint = "check the key"
	case f.status == http.StatusNotFound:
		hint = "check the address and the model's name"
	case f.status == http.StatusRequestEntityTooLarge:
		hint = "shorten the question"
	}
	return fmt.Errorf("%s; %s: %w", f, hint, llm.ErrRefused)
}
