package api

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/api/plain"
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

// notAsListed begins the library's error about arguments that do not match the schema,
// and ours.
const notAsListed = `validating "arguments"`

// checked returns a function that decodes arguments and fills in the defaults of a schema in
// JSON, once the arguments match it. Its error names what does not match. A schema made from
// In allows no field that In has not, so that a field in other letters is refused, though
// package json would accept it.
func checked[In any](schema any) (func(json.RawMessage) (In, error), error) {
	text, ok := schema.(json.RawMessage)
	var s *jsonschema.Schema
	if err := json.Unmarshal(text, &s); !ok || err != nil {
		return nil, fmt.Errorf("schema: %T, %w", schema, err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	quick, err := plain.Arguments[In](s)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return func(raw json.RawMessage) (in In, err error) {
		if quick != nil && json.Valid(raw) {
			if in, ok := quick(raw); ok {
				return in, nil
			}
		}
		given := any(map[string]any{})
		if len(raw) > 0 {
			var sent map[string]any
			if err := json.Unmarshal(raw, &sent); err != nil {
				return in, fmt.Errorf("%s: unmarshaling arguments: %w", notAsListed, err)
			}
			if sent != nil { // it is for null
				given = sent
			}
		}
		if err := resolved.ApplyDefaults(&given); err != nil {
			return in, fmt.Errorf("%s: applying schema defaults: %w", notAsListed, err)
		}
		if err := resolved.Validate(&given); err != nil {
			return in, fmt.Errorf("%s: %w", notAsListed, err)
		}
		whole, err := json.Marshal(given)
		if err == nil {
			err = json.Unmarshal(whole, &in)
		}
		return in, err
	}, nil
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
