// Package natstest gives a test a NATS server of its own with Winnow's streams
// on it, and the driver over it. The server refuses what the fleet's would:
// sources, publishers and letters log in with the rights of the service that
// uses them.
package natstest
