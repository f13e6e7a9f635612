// Package index is the projector: it keeps what agents read in step with the
// store. Today that is the vault, a git repository with one MEMORY.md for each
// scope.
//
// A projection says nothing of its own. It is rendered from the rows as they are
// now, whichever event asked for it, so events may be lost, repeated or late,
// and a projection that is thrown away comes back the same byte for byte. What a
// person changes in the files by hand is read back before anything is rendered.
package index
