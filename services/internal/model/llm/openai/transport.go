package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// keyHeader makes a request that is sent again the same one, for servers and
// gateways that know it.
const keyHeader = "Idempotency-Key"

// keyOf is where a question's key travels to the transport: the library has no
// headers of a single request.
type keyOf struct{}

func withKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}

// transport is the HTTP below the client library. It turns what the library
// would hide (the wait that a server asks for) or trust (an answer without end)
// into a [fault] or an error of reading.
type transport struct {
	client *http.Client
	limit  int64 // bytes of an answer
}

// Do implements the library's HTTPDoer.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	if key, _ := req.Context().Value(keyOf{}).(string); key != "" {
		req.Header.Set(keyHeader, key)
	}
	res, err := t.client.Do(req)
	if err != nil {
		return nil, &fault{err: err}
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer func() { _ = res.Body.Close() }() // nothing of it is wanted any more
		f := &fault{status: res.StatusCode, after: retryAfter(res.Header.Get("Retry-After"), time.Now())}
		f.code, f.param = wordsOf(res.Body)
		return nil, f
	}
	res.Body = http.MaxBytesReader(nil, res.Body, t.limit)
	return res, nil
}

// fault is a request that brought no answer, or one that is not 2xx.
type fault struct {
	status int    // 0 when there was no answer
	code   string // the server's word for it, may be empty
	param  string // the field of the request that it blames, may be empty
	after  time.Duration
	err    error // what the network said, when status is 0
}

func (f *fault) Error() string {
	switch {
	case f.status == 0:
		return "no answer: " + f.err.Error()
	case f.code != "":
		return fmt.Sprintf("status %d (%s)", f.status, f.code)
	}
	return fmt.Sprintf("status %d", f.status)
}

func (f *fault) Unwrap() error { return f.err }

// noMoney is the code of an account that is empty: it comes as a 429, and no
// patience fills an account.
const noMoney = "insufficient_quota"

// passing says that the same request may go through later.
func (f *fault) passing() bool {
	switch f.status {
	case 0, http.StatusRequestTimeout:
		return true
	case http.StatusTooManyRequests:
		return f.code != noMoney
	}
	return f.status >= 500
}

// form says that the server does not like how the request is made, as far as
// its status tells.
func (f *fault) form() bool {
	return f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity || f.status == http.StatusNotImplemented
}

// wordsOf reads the code, else the type, of the protocol's error, and the field
// that it blames.
func wordsOf(body io.Reader) (code, param string) {
	var e struct {
		Error struct {
			Code  any    `json:"code"`
			Type  string `json:"type"`
			Param any    `json:"param"`
		} `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, 1<<16)).Decode(&e) != nil {
		return "", ""
	}
	code, _ = e.Error.Code.(string) // some servers repeat the status as a number
	if code == "" {
		code = e.Error.Type
	}
	param, _ = e.Error.Param.(string)
	return word(code), word(param)
}

// maxWord bounds what of a server's error reaches a log.
const maxWord = 64

// word is s when it is a short plain word, else empty: it could be text.
func word(s string) string {
	if len(s) > maxWord {
		return ""
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return ""
		}
	}
	return s
}

// retryAfter reads the header in either form; 0 when there is none.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
