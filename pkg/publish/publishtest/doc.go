// Package publishtest lets a service test what it publishes without a server.
//
// A [Recorder] stands where JetStream would. It reads every message as Winnow
// will, so a test fails on what the fleet would send to the dead letters, and it
// drops a repeated Nats-Msg-Id as a stream does.
package publishtest
