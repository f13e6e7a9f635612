// Package trust decides where the words of a session came from, turn by turn,
// and which origin a text inherits that carries them (SPEC §7).
//
// A person's turn is first-party. An agent's statement is agent, and so is what
// the tools of the workspace print. Tools that reach the network, network
// commands inside a shell, and unlisted tools bring words from outside into the
// agent's context. From there on every turn is external until a person speaks
// again, including the agent's own summary, because a summary is how such words
// are laundered. Later, a statement that shares a specific with external text,
// or is similar to it, is external as well.
//
// All of it is a pure function of the turns, a [Config], and a similarity that
// the caller supplies. Two rules hold for any input: nothing raises an origin
// above what the speaker's role allows, and a tainted span stays at external or
// below. Only memory.Corroborated and a person raise an origin.
//
// A shell is judged by its command line, parsed as bash does. [Config] lists
// the programs that print the workspace and those that run its code. Every
// other program counts as network, and so does a line that cannot be parsed.
//
// [Evidence] is what a session says about a text that was recorded in it.
//
// Not visible to this package: a script of the workspace that reaches the
// network by itself, third-party files that a tool other than a shell reads,
// and a page that a person pastes into their own turn.
package trust
