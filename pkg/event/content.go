package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The two encodings of a payload.
const (
	// ContentProtobuf is binary protobuf.
	ContentProtobuf = "application/protobuf"
	// ContentJSON is protobuf's JSON mapping. Field names are taken in
	// lowerCamelCase and as the .proto spells them.
	ContentJSON = "application/json"
)

// idField is the number of the field that holds the id, in every event.
const idField protowire.Number = 1

// contentType decides the encoding of a payload: by its label, or for an
// unlabelled one by looking at it.
func contentType(label string, data []byte, bare string) (string, error) {
	if label == "" {
		return sniff(data, bare)
	}
	media, _, err := mime.ParseMediaType(label)
	if err != nil {
		return "", fmt.Errorf("%w: the content type cannot be read; send %s or %s", ErrContentType, ContentProtobuf, ContentJSON)
	}
	switch {
	case media == ContentJSON, media == "text/json", strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return ContentJSON, nil
	case media == ContentProtobuf, media == "application/x-protobuf", media == "application/vnd.google.protobuf":
		return ContentProtobuf, nil
	}
	return "", fmt.Errorf("%w: %q; send %s or %s", ErrContentType, media, ContentProtobuf, ContentJSON)
}

// sniff recognises an unlabelled payload. A JSON object begins with a brace,
// which no protobuf event does. Anything else counts as protobuf only when it
// decodes into known fields without a rest: plain text almost never does, and
// a guess that stored garbage would be worse than a dead letter.
func sniff(data []byte, bare string) (string, error) {
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '{' {
		return ContentJSON, nil
	}
	if len(data) > 0 {
		msg := kinds[bare].message.New()
		if proto.Unmarshal(data, msg.Interface()) == nil && len(msg.GetUnknown()) == 0 {
			return ContentProtobuf, nil
		}
	}
	return "", fmt.Errorf("%w: the payload (%d bytes) is unlabelled and neither a JSON object nor the event in protobuf; set Content-Type to %s or %s", ErrContentType, len(data), ContentProtobuf, ContentJSON)
}

// payloadID returns the id inside a payload, empty if there is none or it
// cannot be read: Unmarshal reports that, with the field at fault.
func payloadID(contentType string, data []byte) string {
	if contentType == ContentJSON {
		var p struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(data, &p) != nil {
			return ""
		}
		return p.ID
	}
	id := ""
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return ""
		}
		data = data[n:]
		if num == idField && typ == protowire.BytesType {
			v, n := protowire.ConsumeString(data)
			if n < 0 {
				return ""
			}
			// Of a field that stands twice the last one counts, as in decoding.
			id, data = v, data[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(num, typ, data); n < 0 {
			return ""
		}
		data = data[n:]
	}
	return id
}
