// Package index maintains two projections of the store: the similarity index, and the
// vault, a git repository with one MEMORY.md for each scope.
//
// A projection holds no data of its own. It is written from the current rows, for every
// event alike, so events may be lost, repeated or late, and a deleted vault is rendered
// again byte for byte. A person's edits of the files are read back before anything is
// rendered.
//
// # Hand edits
//
// The changes of one person's commit take effect once, as one transaction:
//
//   - A new entry becomes a proposal, judged like any other of a person. Until the
//     verdict the file is not rendered; while the proposal waits for a reviewer the
//     entry stays in the file.
//   - An entry with other words, or under another heading, edits its memory. A rule,
//     or an entry that becomes one, is proposed instead.
//   - A removed entry archives its memory, which can be undone. A removed entry that
//     waits for a reviewer withdraws its proposal.
//   - A removed file, or a file that lost many entries at once, changes nothing: its
//     entries are rendered again.
//
// A file that cannot be parsed as a memory file is left alone until a person repairs it.
// The repaired file is then compared with the last version that could be parsed. Other
// scopes are not affected.
package index
