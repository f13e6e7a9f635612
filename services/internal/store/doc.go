// Package store is the port of the canonical store, as one interface per role.
//
// Postgres is the source of truth (SPEC §2). Rows, evidence, decisions, audit
// chain, inbox and outbox change together in one transaction or not at all. The
// search index, the vault and every other view can be rebuilt from the store.
//
// The comment of a method is its contract; package storetest checks a driver
// against the contracts. Every method is safe for concurrent use. The tenant is
// the first argument after the context, and a driver must not touch rows of
// another tenant.
package store
