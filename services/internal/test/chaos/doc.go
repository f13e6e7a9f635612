// Package chaos holds the tests that kill real processes.
//
// They decide whether the first promise holds: an acknowledged event takes
// effect exactly once, across `kill -9` of any worker and of the broker
// (SPEC §16.1). Workers are the built binary, the broker is a real nats-server
// process, the store is a real Postgres. They take minutes, so they run by
// `make chaos` and in CI, not in the fast set. They run side by side, each with ports, a
// broker and a database of its own. `make storm` lets everything happen at once for as
// long as one likes.
package chaos
