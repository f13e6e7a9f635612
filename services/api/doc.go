// Package api serves memory to agents: by MCP over streamable HTTP at /mcp, and
// the same in plain HTTP for hooks.
//
// It decides what an agent is shown and how. Text from memory is data: it stands
// in a fence that no memory can close, because the mark of the fence is drawn
// anew for each answer. Who asks, and so which tenant is asked, follows from the
// credential and never from an argument. What is shown in a session is kept, so
// that an agent's echo is known for one and a wrong memory can be traced to those
// who were told it.
//
// It writes no memory. What an agent wants remembered is a proposal like any
// other, committed as one event; the api only waits for the verdict and says it
// in words. Errors of a tool are told in its answer, with the next step.
package api
