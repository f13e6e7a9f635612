// Package publish is the client for services that tell Winnow something: a
// finished session, a text worth remembering, a person's answer to a digest.
//
// It decides three things so that publishers need not. Every event gets an id,
// and the id is what makes sending again safe: after a timeout, send the same
// message with the id of the receipt, and it counts once. An event is published
// when the stream has stored it and not before: a nil error means stored. And
// what Winnow would refuse is refused here, before it is sent.
//
// The verdict on a proposal comes later, as the event memory.proposal.decided,
// which carries the receipt's EventID.
//
// Importing this package brings nats.go and protobuf and nothing else.
package publish
