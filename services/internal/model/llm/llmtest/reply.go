package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request, in Request)

// Say answers with this text.
func Say(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, in Request) { answer(w, in, text, "stop") }
}

// After answers later, unless the client hangs up first.
func After(delay time.Duration, then Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			then(w, r, in)
		case <-r.Context().Done():
		}
	}
}

// Hold answers once the channel is closed, unless the client hangs up first. It sends
// on the other channel when the question has arrived.
func Hold(asked chan<- struct{}, until <-chan struct{}, then Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		select {
		case asked <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		select {
		case <-until:
			then(w, r, in)
		case <-r.Context().Done():
		}
	}
}

// Empty is an answer without a word.
func Empty(w http.ResponseWriter, _ *http.Request, in Request) { answer(w, in, "", "stop") }

// None says that there is nothing to learn (S4.11).
func None(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, "NO_EXTRACTIONS", "stop")
}

// Malformed is an answer in neither format.
func Malformed(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, `Sure! Here are the memories: {"memories": [{"title": "Half a thought`, "stop")
}

// Huge never ends: it sends words until the client hangs up.
func Huge(w http.ResponseWriter, r *http.Request, _ Request) {
	_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"`)
	words := []byte(strings.Repeat("more ", 1<<13))
	for r.Context().Err() == nil {
		if _, err := w.Write(words); err != nil {
			return
		}
	}
}

// Slow never answers; the client hangs up.
func Slow(_ http.ResponseWriter, r *http.Request, _ Request) { <-r.Context().Done() }

// Garbled sends a proxy's page in place of JSON.
func Garbled(w http.ResponseWriter, _ *http.Request, _ Request) {
	_, _ = io.WriteString(w, "<html><body>Welcome to the gateway</body></html>")
}

// NoChoices is an answer that holds none.
func NoChoices(w http.ResponseWriter, _ *http.Request, in Request) {
	write(w, map[string]any{"object": "chat.completion", "model": in.Model, "choices": []any{}})
}

// Refusing is a model that declines to answer.
func Refusing(w http.ResponseWriter, _ *http.Request, in Request) {
	write(w, completion(in, map[string]any{"role": "assistant", "content": nil, "refusal": "I cannot help with that."}, "stop"))
}

// TooMany answers 429 with a Retry-After of this value, none when it is empty.
func TooMany(retryAfter string) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		Refuse(http.StatusTooManyRequests, "rate_limit_exceeded")(w, r, in)
	}
}

// Fail is a server's own error.
func Fail(w http.ResponseWriter, r *http.Request, in Request) {
	Refuse(http.StatusInternalServerError, "server_error")(w, r, in)
}

// Refuse answers with a status and the protocol's error of this code. Its
// message repeats what was sent, as some servers do.
func Refuse(status int, code string) Reply { return blame(status, code, "") }

// blame is [Refuse] that names a field of the request.
func blame(status int, code, param string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, in Request) {
		e := map[string]any{"message": "cannot answer: " + in.Prompt(), "type": "invalid_request_error", "code": code}
		if param != "" {
			e["param"] = param
		}
		w.WriteHeader(status)
		write(w, map[string]any{"error": e})
	}
}

// PlainOnly is a server without schemas: it refuses them, and answers the rest
// as then does.
func PlainOnly(then Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		if in.WantsJSON() {
			Refuse(http.StatusBadRequest, "unsupported_value")(w, r, in)
			return
		}
		then(w, r, in)
	}
}

// Renamed is a server that calls the bound of an answer max_completion_tokens
// and refuses the older name.
func Renamed(then Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		if in.MaxTokens > 0 {
			blame(http.StatusBadRequest, "unsupported_parameter", "max_tokens")(w, r, in)
			return
		}
		then(w, r, in)
	}
}

// answer is a completion with this text.
func answer(w http.ResponseWriter, in Request, text, finish string) {
	write(w, completion(in, map[string]any{"role": "assistant", "content": text}, finish))
}

// completion is the protocol's shape. Tokens are counted as four bytes each.
func completion(in Request, message map[string]any, finish string) map[string]any {
	text, _ := message["content"].(string)
	asked, said := len(in.Prompt())/4, len(text)/4
	return map[string]any{
		"object": "chat.completion", "model": in.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
	}
}

func write(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // a client that went away is its own test
}
