// Package trace decides what a session is: who said what, which tool was
// called, how the call ended, and how the whole session turned out, independent
// of the program that recorded it. Package format reads the files; package
// trace defines what their records mean.
//
// A turn is the smallest part that has one origin. Its role is a claim of the
// file, and as reliable as the file's structure. Package trust decides what the
// claim is worth: less in plain text, where anyone can write "User:".
//
// An outcome that the publisher states holds. Without one it is inferred from
// the person's closing turn, the last test, the last command, or how the
// agent's program ended, in this order ([Verdict]).
//
// A trace is untrusted and long, so one bad record must not lose the rest. A
// record that cannot be read is left out, counted, and listed in the [Report]
// with its position and a remedy. Only what concerns the trace as a whole is an
// error, and every such error is a [Problem].
//
// Limits, all in [Limits]: 64 MiB and 200,000 turns a trace, 8 MiB a record,
// 256 KiB of text a turn, of which the middle is cut.
package trace
