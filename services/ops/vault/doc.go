// Package vault is what operators do to the files of memories: look how each
// scope's MEMORY.md stands, read its history, and render all from the store.
//
// It decides when a file is current, and that a rebuild never overwrites a hand
// edit that is not read yet. How files are rendered is in package projection, how
// they are written and committed in the vault's drivers.
package vault
