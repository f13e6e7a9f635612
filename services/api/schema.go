package api

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// edit adds constraints to a property that its Go type cannot express.
type edit func(*jsonschema.Schema)

// schemaOf returns the schema of T with the edits, by property. Lists are plain
// arrays: a Go slice may be null, which schema dialects with one type for each
// value do not support.
func schemaOf[T any](edits map[string]edit) (*jsonschema.Schema, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	plainArrays(s)
	for name, change := range edits {
		property := s.Properties[name]
		if property == nil {
			return nil, fmt.Errorf("schema: no property %q", name)
		}
		change(property)
	}
	return s, nil
}

func plainArrays(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, property := range s.Properties {
		plainArrays(property)
	}
	plainArrays(s.Items)
}

// oneOf allows these values; the first one is the default.
func oneOf(values ...string) edit {
	return func(s *jsonschema.Schema) {
		choice(values...)(s)
		s.Default = literal(values[0])
	}
}

// choice allows these values.
func choice(values ...string) edit {
	return func(s *jsonschema.Schema) {
		for _, v := range values {
			s.Enum = append(s.Enum, v)
		}
	}
}

// number bounds a value; an absent one means the default.
func number(least, most, absent float64) edit {
	return func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum, s.Default = &least, &most, literal(absent)
	}
}

// between bounds a value whose default depends on other arguments.
func between(least, most float64) edit {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// length bounds a text, in characters.
func length(least, most int) edit {
	return func(s *jsonschema.Schema) {
		if least > 0 {
			s.MinLength = &least
		}
		s.MaxLength = &most
	}
}

// items bounds a list and describes its items.
func items(least, most int, about string, each edit) edit {
	return func(s *jsonschema.Schema) {
		s.MinItems, s.MaxItems = &least, &most
		s.Items.Description = about
		each(s.Items)
	}
}

// write replaces a tool's schemas by their JSON. The library marshals the schema of the
// input on every call, to look for arguments that headers repeat: from here on it copies
// the bytes, which is a tenth of the work.
func write(t *mcp.Tool) error {
	for _, schema := range []*any{&t.InputSchema, &t.OutputSchema} {
		if *schema == nil {
			continue
		}
		text, err := json.Marshal(*schema)
		if err != nil {
			return fmt.Errorf("schema: %w", err)
		}
		*schema = json.RawMessage(text)
	}
	return nil
}

// literal returns a value as JSON.
func literal(v any) json.RawMessage {
	text, _ := json.Marshal(v) // strings and finite numbers cannot fail
	return text
}

// kindNames returns the kinds that an agent may name.
func kindNames() []string {
	var names []string
	for _, k := range memory.Kinds() {
		names = append(names, string(k))
	}
	return names
}
