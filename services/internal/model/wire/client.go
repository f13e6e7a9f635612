package wire

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Client makes requests. Client libraries hide the wait that a server asks for and read
// answers of any size; Client returns a [Fault] or a read error instead. It is safe for
// concurrent use.
type Client struct {
	HTTP  *http.Client
	Limit int64 // bytes of an answer; reading more fails with [http.MaxBytesError]
}

// Do makes a request, with the key of its context ([WithKey]). The error is a
// [*Fault]; without one the status is 2xx and the caller closes the body.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if key, _ := req.Context().Value(keyOf{}).(string); key != "" {
		req.Header.Set(keyHeader, key)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, noAnswer(err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer func() { _ = res.Body.Close() }() // the body is not needed any more
		return nil, refused(res, time.Now())
	}
	res.Body = http.MaxBytesReader(nil, res.Body, c.Limit)
	return res, nil
}

// keyHeader carries the idempotency key of a request, for servers and gateways that
// know it.
const keyHeader = "Idempotency-Key"

// keyOf is the context key of a request's idempotency key: client libraries have no
// headers for a single request.
type keyOf struct{}

// WithKey gives the requests made under the context an idempotency key; empty is
// none.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}

// ErrAddress reports an address that is not HTTP. The message leaves the address out,
// because it may contain a password.
var ErrAddress = errors.New("url is not an http or https address")

// Base parses the base of a server's addresses, such as https://api.openai.com/v1. The
// path of the endpoint, such as /embeddings, may follow it.
func Base(address, endpoint string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSuffix(strings.TrimRight(address, "/"), endpoint))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, ErrAddress
	}
	return base, nil
}

// Cut returns valid UTF-8 of at most limit bytes from the beginning of text.
func Cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Positive returns value, or otherwise where value is zero or below: the default of a
// setting.
func Positive[T int | int64 | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}
