// Package message redacts events: every string of a message, in every field,
// because people put keys into titles and tags too.
package message

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
)

// Redact replaces the secrets of a message in place and returns the number of
// replacements. Ids, scopes and paths survive by the rules of redaction. A
// value that one field calls a password is a secret in every other field,
// including earlier ones. The stream remembers it for the texts that belong to
// the message.
func Redact(s *redact.Stream, m proto.Message) int {
	found := fields(s, m.ProtoReflect())
	if found > 0 {
		found += fields(s, m.ProtoReflect())
	}
	return found
}

// fields redacts every string once and returns the number of replacements.
func fields(s *redact.Stream, m protoreflect.Message) (found int) {
	text := func(v protoreflect.Value) protoreflect.Value {
		before := v.String()
		after := s.Text(before)
		if after != before {
			found += redact.Count(after) - redact.Count(before)
		}
		return protoreflect.ValueOfString(after)
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() && f.Kind() == protoreflect.StringKind:
			for i := range v.List().Len() {
				v.List().Set(i, text(v.List().Get(i)))
			}
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			for i := range v.List().Len() {
				found += fields(s, v.List().Get(i).Message())
			}
		case f.IsList(), f.IsMap():
			// Events have neither lists of other kinds that hold text nor maps.
		case f.Kind() == protoreflect.MessageKind:
			found += fields(s, v.Message())
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, text(v))
		}
		return true
	})
	return found
}
