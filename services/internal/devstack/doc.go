// Package devstack provides the servers of a standalone Winnow, so that one command runs
// on a machine with nothing installed but PostgreSQL.
//
// It decides where the secrets of a standalone installation are stored: in files of mode
// 0600 in the state folder, created on first use, never in an environment variable, a log
// or the process list. The parts are in packages of their own: postgres (a private
// cluster), nats (an embedded server), state (the folder, its lock, and how other commands
// find the running instance), filelock.
//
// Only the wiring differs from production: workers use the same PostgreSQL and the same
// NATS over the same clients.
package devstack
