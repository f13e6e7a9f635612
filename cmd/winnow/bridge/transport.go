package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var (
	// errAway says that nobody answers where Winnow should be.
	errAway = errors.New("no answer")
	// errKey says that Winnow wants another key.
	errKey = errors.New("the key is not known")
)

// versionHeader names the revision of the protocol that both ends agreed on.
// Clients of the newest one send it with each message; for others the bridge
// does, as they would over HTTP.
const versionHeader = "Mcp-Protocol-Version"

// door is the way to Winnow. Safe for concurrent use.
type door struct {
	key     string
	version atomic.Value // string
}

// agreed remembers what the answer to initialize says.
func (d *door) agreed(msg jsonrpc.Message) {
	answer, ok := msg.(*jsonrpc.Response)
	if !ok {
		return
	}
	var result struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(answer.Result, &result) == nil && result.Version != "" {
		d.version.Store(result.Version)
	}
}

// RoundTrip implements [http.RoundTripper].
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if d.key != "" {
		r.Header.Set("Authorization", "Bearer "+d.key)
	}
	if v, ok := d.version.Load().(string); ok && r.Header.Get(versionHeader) == "" {
		r.Header.Set(versionHeader, v)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() != nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errAway, err)
	case resp.StatusCode == http.StatusUnauthorized:
		resp.Body.Close()
		return nil, errKey
	case resp.StatusCode == http.StatusServiceUnavailable, resp.StatusCode == http.StatusBadGateway:
		resp.Body.Close()
		return nil, errAway
	}
	return resp, nil
}
