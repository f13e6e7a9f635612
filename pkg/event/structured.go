package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// contentStructured is the Content-Type of a CloudEvent in structured mode.
const contentStructured = "application/cloudevents+json"

// structured is a CloudEvent as one JSON object.
type structured struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	Source          string          `json:"source"`
	Time            string          `json:"time,omitempty"`
	Traceparent     string          `json:"traceparent,omitempty"`
	Tracestate      string          `json:"tracestate,omitempty"`
	DataContentType string          `json:"datacontenttype"`
	Data            json.RawMessage `json:"data,omitempty"`
	DataBase64      *string         `json:"data_base64,omitempty"`
}

// EncodeStructured writes msg as a CloudEvent in structured mode, the JSON object of
// readers that know neither protobuf nor headers. Fields are spelled as in the .proto, and
// those without a value are written too, so that false and "" can be told from a field
// that an older version did not know; only a message or a time that is not set is left
// out. The same message gives the same bytes. It makes no Nats-Msg-Id and looks at no
// limit of size; JSON and Principal of opts are not read, and a Source is required by
// the standard. The errors are those of [Encode].
func EncodeStructured(msg proto.Message, opts Options) (header map[string][]string, data []byte, err error) {
	bare, id, err := encodable(msg, opts)
	if err != nil {
		return nil, nil, err
	}
	payload, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(msg)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: encode %s: %w", ErrMalformed, bare, err)
	}
	s := structured{SpecVersion: "1.0", ID: id, Type: TypeFor(bare), Source: opts.Source, DataContentType: ContentJSON, Data: payload}
	if !opts.Time.IsZero() {
		s.Time = opts.Time.UTC().Format(time.RFC3339Nano)
	}
	s.Traceparent, s.Tracestate = traceContext(opts.Traceparent, opts.Tracestate)
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	// Also takes away the spaces that protojson puts in at random.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, nil, fmt.Errorf("%w: encode %s: %w", ErrMalformed, bare, err)
	}
	header = map[string][]string{"Content-Type": {contentStructured}}
	if opts.Tenant != "" {
		header["winnow-tenant"] = []string{percentEncode(opts.Tenant)}
	}
	return header, bytes.TrimSpace(body.Bytes()), nil
}

// readStructured reads the attributes from the body. A header's value stays
// where the body has none: a relay may add headers but not rewrite a body.
func readStructured(outer attributes) (attributes, error) {
	if len(outer.data) > MaxPayload {
		return outer, tooLarge(len(outer.data))
	}
	if !utf8.Valid(outer.data) {
		return outer, fmt.Errorf("%w: the structured event is not valid UTF-8; send it as UTF-8", ErrMalformed)
	}
	var s structured
	if err := json.Unmarshal(outer.data, &s); err != nil {
		return outer, fmt.Errorf("%w: the body is not a CloudEvents JSON object%s; send one, or the payload alone with Content-Type %s", ErrMalformed, jsonPlace(err), ContentJSON)
	}
	a := outer
	a.id = first(s.ID, outer.id)
	a.typ = first(s.Type, outer.typ)
	a.source = first(s.Source, outer.source)
	a.time = first(s.Time, outer.time)
	a.specVersion = first(s.SpecVersion, outer.specVersion)
	if parent, state := traceContext(s.Traceparent, s.Tracestate); outer.traceparent == "" {
		a.traceparent, a.tracestate = parent, state
	}

	hasData := len(s.Data) > 0 && !bytes.Equal(s.Data, []byte("null"))
	switch {
	case hasData && s.DataBase64 != nil:
		return a, fmt.Errorf("%w: the structured event has both data and data_base64; send one", ErrMalformed)
	case s.DataBase64 != nil:
		raw, err := base64.StdEncoding.DecodeString(*s.DataBase64)
		if err != nil {
			return a, fmt.Errorf("%w: data_base64 is not standard base64", ErrMalformed)
		}
		a.data, a.contentType = raw, s.DataContentType
	case hasData:
		// The JSON format says that data without a type is JSON.
		a.data, a.contentType = s.Data, first(s.DataContentType, ContentJSON)
	default:
		return a, fmt.Errorf("%w: the structured event has no data; put the payload there", ErrMalformed)
	}
	return a, nil
}

// jsonPlace returns the position where decoding failed without quoting the text
// there.
func jsonPlace(err error) string {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Sprintf(" (at byte %d)", e.Offset)
	}
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		return fmt.Sprintf(" (%s must be a %s)", e.Field, e.Type)
	}
	return ""
}
