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
	// errAway says that no Winnow answers at the expected address.
	errAway = errors.New("no answer")
	// errKey says that Winnow refuses the API key.
	errKey = errors.New("the key is not known")
)

// versionHeader names the protocol version of the handshake. Clients of the
// newest version send the header with each message. For other clients the bridge
// adds the header, as they would over HTTP.
const versionHeader = "Mcp-Protocol-Version"

// toolsetsHeader names the tools that the server answers with.
const toolsetsHeader = "Winnow-Toolsets"

// transport is the HTTP transport to Winnow. A transport is safe for concurrent
// use.
type transport struct {
	key      string
	toolsets string
	version  atomic.Value // string
}

// agreed stores the protocol version from the response to initialize.
func (d *transport) agreed(msg jsonrpc.Message) {
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
func (d *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if d.key != "" {
		r.Header.Set("Authorization", "Bearer "+d.key)
	}
	if d.toolsets != "" {
		r.Header.Set(toolsetsHeader, d.toolsets)
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
