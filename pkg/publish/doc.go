// Package publish is the client for services that publish events to Winnow: a
// finished session, a text worth remembering, a person's answer to a digest.
//
// It guarantees three things for publishers. Every event gets an id, and the id
// makes sending again safe: after a timeout, send the same message with the id
// of the receipt, and it counts once. A nil error means that the stream has
// stored the event. What Winnow would refuse is refused here, before it is
// sent.
//
// The verdict on a proposal comes later, as the event memory.proposal.decided,
// which carries the receipt's EventID.
//
// Importing this package adds nats.go and protobuf and nothing else.
package publish
