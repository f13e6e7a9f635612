package event

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Unmarshal decodes the payload of env into msg, which must be of the kind that
// env.Subject carries. Fields that this build does not know are left out. The
// error is one of the sentinels; msg is then to be thrown away.
//
// Beyond what the encodings demand it refuses what no store accepts: NUL in a
// string and times outside the years 1 to 9999.
func Unmarshal(env Envelope, msg proto.Message) error {
	return unmarshal(env, msg, protojson.UnmarshalOptions{DiscardUnknown: true})
}

// UnmarshalKnown is Unmarshal for a publisher that waits for the answer: it refuses JSON
// with a field that this build does not know (ErrMalformed, and the error names it), since
// there a misspelt name can be mended and on the bus it would be lost in silence.
func UnmarshalKnown(env Envelope, msg proto.Message) error {
	return unmarshal(env, msg, protojson.UnmarshalOptions{})
}

func unmarshal(env Envelope, msg proto.Message, json protojson.UnmarshalOptions) error {
	bare, err := SubjectOf(msg)
	if err != nil {
		return err
	}
	if bare != env.Subject {
		return fmt.Errorf("%w: %s does not carry a %s", ErrSubject, env.Subject, msg.ProtoReflect().Descriptor().Name())
	}
	// An envelope made by hand, for instance by the HTTP intake, may leave the
	// type out.
	if env.Type != "" {
		if err := checkType(env.Type, bare); err != nil {
			return err
		}
	}
	if len(env.Data) > MaxPayload {
		return tooLarge(len(env.Data))
	}
	switch env.ContentType {
	case ContentJSON:
		err = unmarshalJSON(env.Data, msg, json)
	case ContentProtobuf:
		if err = (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(env.Data, msg); err != nil {
			err = fmt.Errorf("%w: the payload is not a %s in protobuf: %w", ErrMalformed, msg.ProtoReflect().Descriptor().Name(), err)
		}
	default:
		err = fmt.Errorf("%w: %q; send %s or %s", ErrContentType, env.ContentType, ContentProtobuf, ContentJSON)
	}
	if err != nil {
		return err
	}
	return checkFields(msg.ProtoReflect(), "")
}

// Options says how Encode writes an event.
type Options struct {
	// ID of the event. Empty takes the message's id field.
	ID string
	// Principal is the token that the subject will end in, empty for a bare
	// subject. It becomes part of Nats-Msg-Id.
	Principal string
	// Source is what the publisher calls itself. Optional.
	Source string
	// Tenant that an internal event belongs to. Publishers leave it out: theirs
	// follows from who they are.
	Tenant string
	// Time of the event. Zero leaves it out: Encode asks no clock.
	Time time.Time
	// JSON writes the payload as JSON instead of protobuf.
	JSON bool
	// Traceparent and Tracestate carry a W3C trace context. A malformed one is
	// left out.
	Traceparent, Tracestate string
}

// Encode writes msg as a CloudEvent in binary mode. Nats-Msg-Id is that of
// [MessageID], so that the stream drops what one publisher sent twice within its
// window and nothing else. The errors are those that the reader would give:
// ErrSubject for a message that is no event or a principal that cannot be one,
// ErrMalformed for a missing or unusable id and for what Unmarshal would
// refuse, ErrTooLarge.
func Encode(msg proto.Message, opts Options) (header map[string][]string, data []byte, err error) {
	bare, id, err := encodable(msg, opts)
	if err != nil {
		return nil, nil, err
	}
	subject, err := SubjectFor(bare, opts.Principal)
	if err != nil {
		return nil, nil, err
	}
	contentType := ContentProtobuf
	if opts.JSON {
		contentType = ContentJSON
		data, err = protojson.Marshal(msg)
	} else {
		data, err = proto.MarshalOptions{Deterministic: true}.Marshal(msg)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: encode %s: %w", ErrMalformed, bare, err)
	}
	if len(data) > MaxPayload {
		return nil, nil, tooLarge(len(data))
	}

	header = make(map[string][]string, 10)
	set := func(name, value string) {
		if value != "" {
			header[name] = []string{value}
		}
	}
	set("ce-specversion", "1.0")
	set("ce-id", percentEncode(id))
	set("ce-type", TypeFor(bare))
	set("ce-source", percentEncode(opts.Source))
	set(headerTenant, percentEncode(opts.Tenant))
	if !opts.Time.IsZero() {
		set("ce-time", opts.Time.UTC().Format(time.RFC3339Nano))
	}
	set("ce-datacontenttype", contentType)
	// For readers that do not support CloudEvents.
	set("Content-Type", contentType)
	set("Nats-Msg-Id", MessageID(subject, id))
	parent, state := traceContext(opts.Traceparent, opts.Tracestate)
	set("traceparent", parent)
	set("tracestate", state)
	return header, data, nil
}

// encodable returns the bare subject and the id of an event that may be written.
func encodable(msg proto.Message, opts Options) (bare, id string, err error) {
	if bare, err = SubjectOf(msg); err != nil {
		return "", "", err
	}
	m := msg.ProtoReflect()
	id = first(opts.ID, m.Get(m.Descriptor().Fields().ByNumber(idField)).String())
	if !validID(id) {
		return "", "", fmt.Errorf("%w: the id is empty, has control characters or more than %d bytes; set the message's id", ErrMalformed, MaxID)
	}
	return bare, id, checkFields(m, "")
}

// MessageID returns the Nats-Msg-Id of an event: the subject that it is published
// on, which ends in the principal, then the event's id. A stream drops by message
// id alone, whoever sends it; with the principal in it, one publisher's "1" never
// swallows another's. Readers take ce-id first and see the plain id.
func MessageID(subject, id string) string { return subject + "/" + percentEncode(id) }
