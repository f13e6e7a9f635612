// Package postgres is the canonical store on PostgreSQL 14 or newer: schema,
// transactions and the SQL behind every role of package store.
//
// The package decides:
//
//   - Isolation of tenants. Connections run as winnow_app, which owns nothing
//     and is under row security. One helper sets the tenant inside each
//     transaction (see [Store] and tx.go). The outbox and retention run as
//     winnow_relay. Only winnow_principal() and winnow_tenants() read across
//     tenants.
//
//   - Round trips of a batch: begin and claim; lock the lanes; read the changed
//     rows of the lanes, if any; write the set with the audit link and commit. A
//     pipeline stops at its first error, so the commit at its end never runs
//     after a failed check.
//
//   - Order of locks: the slot, inbox keys, scopes by id, names of sessions,
//     rows of the scopes, the registry head, the audit head. Every transaction
//     takes its locks in this order and each group sorted, so that transactions
//     never deadlock.
//
//   - Input of the audit hashes:
//
//     commitment = sha256(salt ‖ body)
//     root       = sha256("winnow/audit/root/v1" ‖ for each event: its number,
//     actor, principal, action, subject, commitment, each length first)
//     hash       = sha256("winnow/audit/v1" ‖ previous hash ‖ seq ‖ time ‖ n ‖
//     tenant ‖ link ‖ root)
//
// The chain alone cannot show that the newest links were removed together with the
// head. A comparison with a head that was published elsewhere shows the removal.
package postgres
