// Package bridge lets an agent that speaks MCP over standard input and output
// reach a Winnow that speaks it over HTTP.
//
// It copies messages and understands none of them, so that whatever the two ends
// agree on works through it. It keeps nothing between requests: where Winnow is
// away, a request is answered with an error that says how to start it, and the
// next one finds it again.
package bridge
