// Package trace decides what a session is: who said what, which tool was
// called, how the call ended and how the whole of it turned out, whatever
// program wrote it down.
//
// Six formats are read: Winnow's own, transcripts of Claude Code and of Codex
// (JSONL), lists of chat messages as OpenAI's and Anthropic's interfaces take
// them, SWE-agent trajectories, and plain text. [Detect] recognises them by their bytes. [Open]
// reads turn by turn, so that a trace of any length needs the memory of one
// record (of a SWE-agent file whose steps come before its history, that of the
// steps); [Read] collects the turns; [ReadEvent] starts from a
// session.completed event.
//
// A trace is what strangers send, and it is long: one bad record must not lose
// the rest. A record that cannot be read is left out, counted, and listed in the
// [Report] with where it stands and what to do about it. Only what concerns the
// trace as a whole is an error, and every such error is a [Problem].
//
// Text is made fit for a database and for people, and no further: terminal
// colours and control characters are taken out, line ends are "\n", bytes that
// are not UTF-8 are read as Windows-1252. What the turns hold after that is what
// evidence must match. Nothing is redacted here.
//
// What is left out, deliberately: a model's private thinking, images, SWE-agent
// demonstrations (another session's turns), and the bookkeeping of programs.
//
// A role is a claim of the file's, as good as its structure. What it is worth is
// decided elsewhere (package trust), where plain text, in which anybody can
// write "User:", is worth less.
//
// Limits, all in [Limits]: 64 MiB and 200,000 turns a trace, 8 MiB a record,
// 256 KiB of text a turn, of which the middle is cut.
package trace
