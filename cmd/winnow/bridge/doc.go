// Package bridge connects an agent that speaks MCP over standard input and
// output to a Winnow that speaks MCP over HTTP.
//
// The bridge forwards messages without interpreting them, so it works with every
// protocol version that both ends support. Only into calls of tools it fills the project
// and the session that the agent left out. The bridge has no state between
// requests. While Winnow is unavailable, the bridge lists the tools itself, and the answer
// to a call is an error that says how to start Winnow. Later requests work again without a restart of
// the bridge.
package bridge
