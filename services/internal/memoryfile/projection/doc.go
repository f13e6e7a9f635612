// Package projection decides what a scope's files in the vault say.
//
// It only reads: the same rows give the same files, whoever asks, so what the
// projector writes as events come in and what a person rebuilds from nothing are
// the same bytes. Who may write, when, and what becomes of hand edits is the
// business of its callers.
package projection
