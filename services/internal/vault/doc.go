// Package vault is the port of the vault: the rendered memory of a tenant as
// files with a history. People read and change the files with their own tools.
//
// The author of a commit determines its handling. A rendering is a commit by
// Winnow, with trailers that name the scope, its version and the decisions that
// it shows. Every other change of the vault's files is a hand edit. A rendering
// never overwrites a hand edit before Winnow has read it.
package vault
