// Package api serves memory to agents: by MCP over streamable HTTP at /mcp, and
// by plain HTTP for hooks.
//
// The package decides what an agent sees and how. Text from memory is data. It
// is enclosed in a fence that no memory can close, because each answer has a new
// random mark. The caller, and so the tenant, follows from the credential and
// never from an argument. Memories that are served in a session are recorded, so
// that an agent's echo is recognised and the readers of a wrong memory can be
// found.
//
// The api writes no text of a memory. Feedback and outcomes are signals, which change
// a memory's confidence (package confidence). An agent's record is a proposal like any other,
// committed as one event. The api only waits for the verdict and returns the
// verdict in words. A tool returns an error in its answer, with the next step.
package api
