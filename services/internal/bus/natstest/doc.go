// Package natstest starts a NATS server with Winnow's streams for one test, and
// returns drivers over it. The server enforces the fleet's permissions: sources,
// publishers and dead letters log in with the rights of the service that uses them.
package natstest
