// Package format reads the files in which programs record sessions, turn by
// turn.
//
// Six formats are read: Winnow's own, transcripts of Claude Code and of Codex
// (JSONL), lists of chat messages as OpenAI's and Anthropic's interfaces define
// them, SWE-agent trajectories, and plain text. [Detect] recognises a format by
// its bytes. [Open] returns a reader that needs the memory of one record,
// independent of the trace's length (for a SWE-agent file whose steps come
// before its history, the memory of the steps). [Read] collects the turns.
// [OpenEvent] and [ReadEvent] start from a session.completed event.
//
// Text is only cleaned as far as a database and people need: terminal colours
// and control characters are removed, line ends become "\n", bytes that are not
// UTF-8 are read as Windows-1252. Evidence is compared with the cleaned text.
// Nothing is redacted here.
//
// Left out on purpose: a model's private thinking, images, SWE-agent
// demonstrations (turns of another session), and the bookkeeping of programs.
//
// A new format is a source in a file of its own, a line in newSource and one in
// detect, and a golden file in testdata.
package format
