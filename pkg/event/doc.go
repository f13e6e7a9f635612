// Package event decides what a message on the bus means before its payload is
// decoded: which event it is, who published it, which id makes it unique
// and how its payload is encoded.
//
// A message is a CloudEvent in binary mode: attributes in ce- headers, the
// payload alone in the body, in protobuf or its JSON mapping. Only the subject
// is required. A publisher that only runs
//
//	nats pub memory.proposal.created '{"scope":"project:shop","text":"…"}'
//
// is served like any other. Structured mode (one JSON object around the
// payload) is read too; [Encode] always writes binary mode.
//
// Reading has two steps, because a message that cannot be read still has to
// become a dead letter that names its id and its publisher. [Parse] looks at
// subject and headers and returns an [Envelope], even beside an error. [Unmarshal]
// then decodes the payload. Both refuse with one of five sentinels, wrapped
// with the field at fault and the remedy, for the publisher to read:
//
//   - [ErrSubject]: not a subject of Winnow, or too many tokens
//   - [ErrVersion]: a major version that this build does not know
//   - [ErrContentType]: neither protobuf nor JSON, or not recognisable
//   - [ErrMalformed]: a header or the payload cannot be read, or holds
//     characters that no store accepts
//   - [ErrTooLarge]: over [MaxPayload]
//
// All five are permanent: sending the same bytes again ends the same way.
//
// The principal is the last token of the subject and nothing else. Headers and
// payload are claims; the subject is what the server's publish permissions
// enforce.
//
// All functions are safe for concurrent use.
package event
