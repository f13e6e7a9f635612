package plain

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments returns a function that decodes valid JSON which is plain and matches the schema,
// with the schema's defaults for what is absent, and is false for all other. It is nil for a
// schema of a form that it does not know: an object of In's fields, with no others, each
// bounded on its own. Fields that hold more than one value may be there; with one of them
// given, arguments are not plain.
func Arguments[In any](s *jsonschema.Schema) (func(json.RawMessage) (In, bool), error) {
	var absent In
	known, err := properties(s, reflect.TypeFor[In](), &absent)
	if known == nil || err != nil {
		return nil, err
	}
	return func(raw json.RawMessage) (In, bool) {
		in := absent
		into := reflect.ValueOf(&in).Elem()
		var given [64]bool
		whole := Object(raw, func(name, value []byte) bool {
			n := slices.IndexFunc(known, func(p property) bool { return p.name == string(name) })
			if n < 0 || given[n] { // of a name that repeats the last counts
				return false
			}
			given[n] = true
			return known[n].set(into, value)
		})
		for n := range known {
			whole = whole && (given[n] || !known[n].required)
		}
		return in, whole
	}, nil
}

// property is a field of arguments with what the schema says of it.
type property struct {
	name     string
	field    []int
	kind     reflect.Kind // Invalid for a field with more than one value
	required bool

	among           []string // none: any
	shortest        int
	longest         int // in characters
	least, greatest *float64
}

// properties returns what a schema says of the fields of a type, and writes its defaults to
// absent; nil where the schema says more than that, or has too many.
func properties(s *jsonschema.Schema, in reflect.Type, absent any) ([]property, error) {
	rest := *s
	rest.Type, rest.Properties, rest.Required, rest.AdditionalProperties = "", nil, nil, nil
	rest.PropertyOrder = nil
	others := jsonschema.Schema{Not: &jsonschema.Schema{}}
	if s.Type != "object" || len(s.Properties) > 64 || in.Kind() != reflect.Struct ||
		!reflect.DeepEqual(rest, jsonschema.Schema{}) || !reflect.DeepEqual(s.AdditionalProperties, &others) {
		return nil, nil
	}
	known := make([]property, 0, len(s.Properties))
	defaults := map[string]json.RawMessage{}
	for _, f := range reflect.VisibleFields(in) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		said := s.Properties[name]
		if said == nil {
			continue
		}
		p := property{name: name, field: f.Index, required: slices.Contains(s.Required, name), longest: -1}
		p.bound(said, f.Type.Kind())
		if len(said.Default) > 0 {
			if p.kind == reflect.Invalid {
				return nil, nil // it would be shared
			}
			defaults[name] = said.Default
		}
		known = append(known, p)
	}
	if len(known) != len(s.Properties) {
		return nil, nil
	}
	text, err := json.Marshal(defaults)
	if err == nil {
		err = json.Unmarshal(text, absent)
	}
	return known, err
}

// bound takes over what a schema says of a property, whose kind stays Invalid where that is
// not said in these words alone.
func (p *property) bound(s *jsonschema.Schema, kind reflect.Kind) {
	rest := *s
	rest.Type, rest.Description, rest.Title, rest.Default = "", "", "", nil
	rest.Enum, rest.MinLength, rest.MaxLength, rest.Minimum, rest.Maximum = nil, nil, nil, nil, nil
	if !reflect.DeepEqual(rest, jsonschema.Schema{}) {
		return
	}
	is := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Float64: "number", reflect.Bool: "boolean"}
	for _, v := range s.Enum {
		text, ok := v.(string)
		if !ok {
			return
		}
		p.among = append(p.among, text)
	}
	if s.Type == "" || is[kind] != s.Type || kind != reflect.String && p.among != nil {
		return
	}
	p.kind, p.least, p.greatest = kind, s.Minimum, s.Maximum
	if s.MinLength != nil {
		p.shortest = *s.MinLength
	}
	if s.MaxLength != nil {
		p.longest = *s.MaxLength
	}
}

// set writes a value to its field of into, and is false for one that is not plain or that the
// schema does not allow.
func (p *property) set(into reflect.Value, value []byte) bool {
	field := into.FieldByIndex(p.field)
	switch p.kind {
	case reflect.String:
		text, ok := Text(value)
		if !ok || p.among != nil && !slices.Contains(p.among, text) {
			return false
		}
		if n := utf8.RuneCountInString(text); n < p.shortest || p.longest >= 0 && n > p.longest {
			return false
		}
		field.SetString(text)
		return true
	case reflect.Int:
		const exact = 15 // digits of a whole number that a float of JSON has exactly
		n, err := strconv.Atoi(string(value))
		field.SetInt(int64(n))
		return err == nil && len(value) <= exact && p.within(float64(n))
	case reflect.Float64:
		n, err := strconv.ParseFloat(string(value), 64)
		field.SetFloat(n)
		return err == nil && p.within(n)
	case reflect.Bool:
		field.SetBool(string(value) == "true")
		return string(value) == "true" || string(value) == "false"
	}
	return false
}

func (p *property) within(n float64) bool {
	return (p.least == nil || n >= *p.least) && (p.greatest == nil || n <= *p.greatest)
}
