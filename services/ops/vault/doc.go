// Package vault implements the operators' commands on the files of memories:
// show the state of each scope's MEMORY.md, read its history, and render all
// files from the store.
//
// The package decides when a file is current, and that a rebuild never
// overwrites an unread hand edit. Package projection renders files; the vault's
// drivers write and commit them.
package vault
