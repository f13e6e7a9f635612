// Package natstest gives a test a NATS server of its own with Winnow's streams
// on it, and the driver over it.
package natstest
