// Package ledger reads what the confidence of memories follows from, the same for every
// caller that records a signal.
package ledger
