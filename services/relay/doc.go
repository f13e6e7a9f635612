// Package relay publishes committed events from the outbox to the bus.
//
// It decides which process publishes and in what order. The holder of a lease in the
// store reads outbox rows in the order of their ids and publishes them in atomic
// batches. It marks rows after publishing them, so a crash in between publishes again
// under the same message ids, which the stream deduplicates. A row that the bus refuses
// for good, by its size, its subject or a missing right, becomes a dead letter; the
// later rows are published.
//
// Replicas stand by and take over when the lease is free.
//
// The relay also turns the server's advisories about given-up deliveries into dead
// letters, and deletes the rows whose retention has ended.
package relay
