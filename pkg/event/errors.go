package event

import "errors"

// The reasons to refuse a message. All are permanent. The error that carries
// one names the field at fault and the remedy, and never quotes the payload's
// text.
var (
	// ErrSubject: the subject is none of Winnow's, has too many tokens, or
	// names a principal that is not one.
	ErrSubject = errors.New("unknown subject")
	// ErrVersion: the event's type or the CloudEvents version is not known.
	ErrVersion = errors.New("unknown version")
	// ErrContentType: the payload is labelled as something else than protobuf
	// or JSON, or is unlabelled and recognisable as neither.
	ErrContentType = errors.New("unsupported content type")
	// ErrMalformed: a header or the payload cannot be read.
	ErrMalformed = errors.New("malformed event")
	// ErrTooLarge: the payload is over MaxPayload.
	ErrTooLarge = errors.New("payload too large")
)
