// Package trace decides what a session is: who said what, which tool was called,
// how the call ended, and how the whole session turned out, whatever program
// wrote it down. Package format reads the files; what they mean is said here.
//
// A turn is the smallest part that has one origin. Its role is a claim of the
// file's, as good as the file's structure. What the claim is worth is decided by
// package trust, where plain text, in which anyone can write "User:", is worth
// less.
//
// An outcome that the publisher states holds. Without one it is inferred from the
// person's closing turn, the last test, the last command, or how the agent's
// program ended, in this order ([Verdict]).
//
// A trace is what strangers send, and it is long: one bad record must not lose the
// rest. A record that cannot be read is left out, counted, and listed in the
// [Report] with its place and a remedy. Only what concerns the trace as a whole is
// an error, and every such error is a [Problem].
//
// Limits, all in [Limits]: 64 MiB and 200,000 turns a trace, 8 MiB a record,
// 256 KiB of text a turn, of which the middle is cut.
package trace
