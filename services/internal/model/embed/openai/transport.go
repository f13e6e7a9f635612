package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// transport is the HTTP below the client library. It turns what the library
// would hide (the wait that a server asks for) or trust (an answer without end)
// into a [fault] or an error of reading.
type transport struct {
	client *http.Client
	limit  int64 // bytes of an answer
}

// fault is a request that brought no answer, or one that is not 2xx.
type fault struct {
	status int    // 0 when there was no answer
	code   string // the server's word for it, may be empty
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

// passing says that the same request may go through later.
func (f *fault) passing() bool {
	return f.status == 0 || f.status == http.StatusTooManyRequests ||
		f.status == http.StatusRequestTimeout || f.status >= 500
}

// Do implements the library's HTTPDoer.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	res, err := t.client.Do(req)
	if err != nil {
		return nil, &fault{err: err}
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer func() { _ = res.Body.Close() }() // nothing of it is wanted any more
		return nil, &fault{
			status: res.StatusCode, code: codeOf(res.Body),
			after: retryAfter(res.Header.Get("Retry-After"), time.Now()),
		}
	}
	res.Body = http.MaxBytesReader(nil, res.Body, t.limit)
	return res, nil
}

// maxCode bounds what of a server's error reaches a log.
const maxCode = 64

// codeOf reads the code, else the type, of the protocol's error. Whatever is
// not a short plain word is left out: it could be text.
func codeOf(body io.Reader) string {
	var e struct {
		Error struct {
			Code any    `json:"code"`
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, 1<<16)).Decode(&e) != nil {
		return ""
	}
	code, _ := e.Error.Code.(string) // some servers repeat the status as a number
	if code == "" {
		code = e.Error.Type
	}
	for _, c := range code {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return ""
		}
	}
	if len(code) > maxCode {
		return ""
	}
	return code
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
