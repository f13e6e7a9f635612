// Package workertest runs a batch worker in a test with everything real around
// it: the pipeline, a NATS server, a Postgres database.
//
//	bench := workertest.New(t, triage.Definition)
//	bench.Deliver(proposal("a"), proposal("b"))
//
// Deliver sends every event twice and returns when all deliveries are settled,
// so every test of a worker is also one of its idempotence.
package workertest
