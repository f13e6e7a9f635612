// Package devstack holds what a standalone Winnow needs besides itself, so that
// one command runs on a machine with nothing installed but PostgreSQL.
//
// It decides where secrets of such an installation live: in files of mode 0600
// under the state folder, made on first use, never in an environment variable,
// a log or the process list. The parts are in packages of their own: postgres (a
// private cluster), nats (an embedded server), state (the folder, its lock, and
// how other commands find the running instance), filelock.
//
// Nothing here differs from production but the wiring: workers speak to the
// same PostgreSQL and the same NATS over the same clients.
package devstack
