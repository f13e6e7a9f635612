package bridge

import (
	"bytes"
	"io"
	"net/http"
)

// catalogued are the requests that need no memory: what a client asks for at its start.
// Some clients give a server up for the whole session when these fail.
var catalogued = map[string]bool{
	methodInitialize: true, "notifications/initialized": true, "server/discover": true, "ping": true,
	"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true,
}

// noneError says that no Winnow is found, in the words of Bridge.Find. It is an errAway.
type noneError struct{ error }

func (e *noneError) Is(target error) bool { return target == errAway }

// handlerTransport is an HTTP transport to a handler in this process. The handler's
// answer is complete when it returns.
type handlerTransport struct {
	handler  http.Handler
	toolsets string
}

// RoundTrip implements [http.RoundTripper].
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if t.toolsets != "" {
		r.Header.Set(toolsetsHeader, t.toolsets)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(w, r)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answer collects a handler's answer. It implements [http.ResponseWriter].
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
func (a *answer) WriteHeader(status int)      { a.status = status }
