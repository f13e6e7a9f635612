package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Class is the kind of a failed request, by its remedy.
type Class string

// The classes.
const (
	// Transient: no answer, or an error of the server. A retry may succeed.
	Transient Class = "transient"
	// RateLimited: the server is overloaded. A retry after a wait may succeed.
	RateLimited Class = "rate-limited"
	// Permanent: the request, the key or the account is refused. A person has to
	// change something.
	Permanent Class = "permanent"
)

// NoQuota is the code of an account without credit. It comes with status 429, and no
// wait helps.
const NoQuota = "insufficient_quota"

// Fault is a request without an answer, or with a status other than 2xx.
type Fault struct {
	Status int           // 0 when there was no answer
	Code   string        // the server's error code, may be empty
	Param  string        // the field of the request that it blames, may be empty
	Wait   time.Duration // how long the server asks to wait, 0 when it does not say
	Err    error         // the network's error, when Status is 0
}

func (f *Fault) Error() string {
	switch {
	case f.Status == 0:
		return "no answer: " + f.Err.Error()
	case f.Code != "":
		return fmt.Sprintf("status %d (%s)", f.Status, f.Code)
	}
	return fmt.Sprintf("status %d", f.Status)
}

// Unwrap returns the network's error.
func (f *Fault) Unwrap() error { return f.Err }

// Class follows from the status and, for an empty account, from the code.
func (f *Fault) Class() Class {
	switch {
	case f.Status == http.StatusTooManyRequests && f.Code != NoQuota:
		return RateLimited
	case f.Status == 0, f.Status == http.StatusRequestTimeout, f.Status >= 500:
		return Transient
	}
	return Permanent
}

// noAnswer returns the fault of a request that failed below HTTP, without the address.
func noAnswer(err error) *Fault {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	return &Fault{Err: err}
}

// refused returns the fault of an answer that is not 2xx.
func refused(res *http.Response, now time.Time) *Fault {
	f := &Fault{Status: res.StatusCode, Wait: retryAfter(res.Header.Get("Retry-After"), now)}
	f.Code, f.Param = words(res.Body)
	return f
}

// maxError bounds the read bytes of an error's body.
const maxError = 1 << 16

// words returns the code, else the type, of an error in OpenAI's form, and the field
// that it blames.
func words(body io.Reader) (code, param string) {
	var e struct {
		Error struct {
			Code  any    `json:"code"`
			Type  string `json:"type"`
			Param any    `json:"param"`
		} `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, maxError)).Decode(&e) != nil {
		return "", ""
	}
	code, _ = e.Error.Code.(string) // some servers repeat the status as a number
	if code == "" {
		code = e.Error.Type
	}
	param, _ = e.Error.Param.(string)
	return word(code), word(param)
}

// maxWord bounds the bytes of a server's error code in a log.
const maxWord = 64

// word returns s when it is a short plain word, else "", because it could be text.
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

// Unreadable is an answer with status 2xx that violates the protocol: not JSON, cut
// off, too long, without the requested content. Err is not shown, because it could
// quote text.
type Unreadable struct{ Err error }

func (u *Unreadable) Error() string {
	if limit, ok := u.tooLong(); ok {
		return fmt.Sprintf("answer longer than %d bytes", limit)
	}
	return "answer is not what the protocol says"
}

func (u *Unreadable) tooLong() (limit int64, ok bool) {
	if e := (*http.MaxBytesError)(nil); errors.As(u.Err, &e) {
		return e.Limit, true
	}
	return 0, false
}
