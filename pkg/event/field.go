package event

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// checkFields walks every set field of m and refuses what no store accepts.
// path names m itself in errors, such as "evidence[2].".
func checkFields(m protoreflect.Message, path string) error {
	if ts, ok := m.Interface().(*timestamppb.Timestamp); ok {
		if err := ts.CheckValid(); err != nil {
			return fmt.Errorf("%w: %s is outside the years 1 to 9999; send the time in UTC", ErrMalformed, strings.TrimSuffix(path, "."))
		}
		return nil
	}
	var err error
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := path + string(fd.Name())
		if !fd.IsList() {
			err = checkValue(fd, v, name)
			return err == nil
		}
		for i, list := 0, v.List(); i < list.Len() && err == nil; i++ {
			err = checkValue(fd, list.Get(i), fmt.Sprintf("%s[%d]", name, i))
		}
		return err == nil
	})
	return err
}

func checkValue(fd protoreflect.FieldDescriptor, v protoreflect.Value, name string) error {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		return checkFields(v.Message(), name+".")
	case protoreflect.StringKind:
		if i := strings.IndexByte(v.String(), 0); i >= 0 {
			return fmt.Errorf("%w: %s holds a NUL character at byte %d; remove it", ErrMalformed, name, i)
		}
		if !utf8.ValidString(v.String()) {
			return fmt.Errorf("%w: %s is not valid UTF-8; convert it", ErrMalformed, name)
		}
	}
	return nil
}

func unmarshalJSON(data []byte, msg proto.Message, options protojson.UnmarshalOptions) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("%w: the payload is not valid UTF-8 at byte %d; send UTF-8", ErrMalformed, invalidAt(data))
	}
	err := options.Unmarshal(data, msg)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the payload is not a %s in JSON%s", ErrMalformed, msg.ProtoReflect().Descriptor().Name(), describe(err, msg.ProtoReflect().Descriptor()))
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

var (
	jsonPosition = regexp.MustCompile(`\(line (\d+:\d+)\)`)
	jsonField    = regexp.MustCompile(`field (\w+):`)
	jsonUnknown  = regexp.MustCompile(`unknown field "(\w{1,40})"`)
)

// describe returns what protojson complained about: only the position and the
// field, because protojson quotes the value, and a value may be a secret on its
// way to a log or a dead letter. A field's own name is said when it looks like one.
func describe(err error, md protoreflect.MessageDescriptor) string {
	text, where := err.Error(), ""
	if m := jsonPosition.FindStringSubmatch(text); m != nil {
		where = " (line " + m[1] + ")"
	}
	if m := jsonField.FindStringSubmatch(text); m != nil && hasField(md, m[1], map[protoreflect.FullName]bool{}) {
		return where + ": field " + m[1] + " has a value of the wrong type"
	}
	if strings.Contains(text, "unknown field ") {
		if m := jsonUnknown.FindStringSubmatch(text); m != nil {
			return where + ": field " + m[1] + " is not known; leave it out or write its name as the contract does"
		}
		return where + ": it has a field that is not known; leave it out"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasSuffix(text, io.ErrUnexpectedEOF.Error()) {
		return where + ": it ends too early"
	}
	if strings.Contains(text, "google.protobuf.Timestamp value") {
		return where + ": a time is not RFC 3339; send it like 2026-01-31T09:30:00Z"
	}
	return where + ": syntax error or unexpected value"
}

// hasField reports whether name is a field of md or of a message inside it.
func hasField(md protoreflect.MessageDescriptor, name string, seen map[protoreflect.FullName]bool) bool {
	if seen[md.FullName()] {
		return false
	}
	seen[md.FullName()] = true
	fields := md.Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if string(fd.Name()) == name || fd.JSONName() == name {
			return true
		}
		if fd.Message() != nil && hasField(fd.Message(), name, seen) {
			return true
		}
	}
	return false
}
