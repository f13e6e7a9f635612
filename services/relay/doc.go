// Package relay is the way of committed events to the bus.
//
// It decides who publishes and in what order: one process at a time, held by a
// lease of the store, takes outbox rows in the order of their ids and publishes
// them in atomic batches. Publishing comes before marking, so a crash between
// the two publishes again under the same message ids, which the stream drops.
// A row that the bus refuses for good, by its size, its subject or a missing
// right, becomes a dead letter, and what is behind it goes out.
//
// Replicas stand by and take over when the lease is free.
//
// Beside that it keeps house: it turns the server's notes about deliveries that
// were given up into dead letters, and removes what the retention allows.
package relay
