// Package trust decides where the words of a session came from, turn by turn,
// and how much of that a text inherits that carries them (SPEC §7).
//
// A person's turn is first-party, an agent's statement is agent, and so is what
// the tools of the workspace print. Tools that reach the network, network
// commands inside a shell, and tools that nobody listed let words of strangers
// into the agent's context. From there on everything is external until a person
// speaks again: the agent's own summary most of all, because that is how such
// words are laundered. Later, a statement that shares a specific with external
// text, or is similar to it, is external as well.
//
// All of it is a pure function of the turns, a [Config], and a similarity that
// the caller brings. Two rules hold whatever the input: nothing raises an origin
// above what the speaker's role allows, and a tainted span stays at external or
// below. Corroboration is memory.Corroborated; only it and a person raise
// anything.
//
// A shell is judged by its command line, parsed as bash does: [Config] lists the
// programs that print the workspace and those that run its code, and everything
// else is network, a line that cannot be parsed too.
//
// [Evidence] is what a session makes of a text that was recorded in it.
//
// What cannot be seen here: a script of the workspace that goes to the network by
// itself, third-party files that a tool other than a shell reads, and a page that a
// person pastes into their own turn.
package trust
