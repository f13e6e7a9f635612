// Package index is the projector: it keeps what agents read in step with the
// store. Today that is the vault, a git repository with one MEMORY.md for each
// scope.
//
// A projection says nothing of its own. It is rendered from the rows as they are
// now, whichever event asked for it, so events may be lost, repeated or late,
// and a projection that is thrown away comes back the same byte for byte. What a
// person changes in the files by hand is read back before anything is rendered.
//
// # Hand edits
//
// What changed in one commit of a person is taken over as one transaction, once:
//
//   - a new entry is proposed, and judged like anything that a person says; until
//     that is done the file is left as they wrote it, and while it waits for a
//     reviewer it stays in the file;
//   - an entry with other words, or under another heading, edits its memory; a
//     rule, and what has become one, is proposed instead;
//   - an entry that is gone archives its memory, which can be undone; one that
//     still waited is withdrawn;
//   - a file that is gone, and a file that lost very much at once, says nothing
//     about its entries: they come back.
//
// A file that cannot be read as a memory file stays as it is until somebody
// mends it; the mended file is then compared with the last one that could be
// read. Other scopes go on.
package index
