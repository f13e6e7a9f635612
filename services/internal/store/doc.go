// Package store says what Winnow needs from its canonical store, in roles.
//
// Postgres is the truth (SPEC §2): rows, evidence, decisions, audit chain,
// inbox and outbox change together in one transaction or not at all. Everything
// else can be rebuilt from it.
//
// The contract of every method is its prose here; package storetest holds a
// driver to it. Every method is safe for concurrent use. A tenant is always the
// first thing named, and a driver must not be able to touch another's rows.
package store
