// Package postgres is the canonical store on PostgreSQL 14 or newer: schema,
// transactions and the SQL behind every role of package store.
//
// It decides:
//
//   - How tenants are kept apart. Connections run as winnow_app, which owns
//     nothing and is under row security; the tenant is set inside each
//     transaction by one helper (see [Store] and tx.go). The outbox and
//     retention run as winnow_relay. Only winnow_principal() and
//     winnow_tenants() read across tenants.
//
//   - How few round trips a batch takes: begin and claim; lock the lanes; what
//     the lanes need to read, if anything; everything that is written, the
//     audit link and the commit. A pipeline stops at its first error, so the
//     commit at its end never runs after a failed check.
//
//   - In which order locks are taken: the slot, inbox keys, scopes by id, rows
//     of those scopes, the registry head, the audit head. Everybody takes them
//     in this order and the keys sorted, so nobody deadlocks.
//
//   - What the audit hashes cover:
//
//     commitment = sha256(salt ‖ body)
//     root       = sha256("winnow/audit/root/v1" ‖ for each event: its number,
//     actor, principal, action, subject, commitment, each length first)
//     hash       = sha256("winnow/audit/v1" ‖ previous hash ‖ seq ‖ time ‖ n ‖
//     tenant ‖ link ‖ root)
//
// Cutting off the newest links together with the head is invisible from inside;
// it shows against a head that was published elsewhere.
package postgres
