// Package signed says what a signed head of the audit log is, and what it proves.
//
// The hash chain shows every change but one: whoever owns the database can cut off its
// newest links, or write it anew from any link on, and it verifies. A signed head is the
// chain's end at one time, signed with a key that the database does not have, and kept in
// places that the database's owner does not write: a stream and the vault's commits. One
// that is not in the chain shows what was done.
//
// A head needs to name nothing but its link: the link's hash covers all links before it,
// they cover the commitments to all bodies, and the bodies hold the digests of the rows.
// What went from bodies and rows has to have an entry in the same chain.
//
// The package computes; the relay signs and publishes, the command line gathers.
package signed
