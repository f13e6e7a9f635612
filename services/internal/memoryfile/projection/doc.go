// Package projection computes a scope's files in the vault.
//
// It only reads: the same rows give the same files, so the projector's continuous
// writes and a rebuild by a person give the same bytes. Its callers decide who may
// write, when, and what happens to hand edits.
package projection
