// Package winnowv1 is the contract between Winnow and everybody else: the
// events that services publish and that the fleet answers with, as protobuf
// messages.
//
// Three rules hold for all of them. Field 1 is the id of the event. Closed
// sets of words (verdicts, origins, kinds) are strings and not enumerations, so
// that an old reader meets a new word as text and not as a number, and a
// publisher with nothing but JSON can write them. And no message names a
// tenant that counts: the tenant comes from the credential.
//
// Either encoding is accepted on the bus, binary protobuf or its JSON mapping;
// package github.com/winnowhq/winnow/pkg/event says which header tells them
// apart. Field numbers and JSON names never change: the golden encodings in
// testdata and the baseline image guard them.
package winnowv1
