// Package vault is the port of the vault: the rendered memory of a tenant as
// files with a history, which people read and change with the tools that they
// have.
//
// Whose a commit is decides what happens to it. A rendering is a commit of ours,
// with trailers that tell the scope, its version and the decisions that it
// shows. Every other change of the vault's files is a hand edit, and is never
// written over before somebody has read it.
package vault
