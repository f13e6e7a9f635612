// Package bridge connects an agent that speaks MCP over standard input and
// output to a Winnow that speaks MCP over HTTP.
//
// The bridge forwards messages without interpreting them, so it works with every
// protocol version that both ends support. The bridge has no state between
// requests. While Winnow is unavailable, the answer to a request is an error
// that says how to start Winnow. Later requests work again without a restart of
// the bridge.
package bridge
