package plain_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/winnowhq/winnow/services/api/plain"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// objects are what clients and strangers send; those that are not plain are left to others.
var objects = []string{
	`{}`, ` { } `, `{"a":1}`, "\t{ \"a\" : \"b\" ,\n\"c\":[1,{\"d\":\"}\"}],\"e\":{\"f\":{}} }", `{"a":"\"","b":"\\","c":"}"}`,
	`{"a":1,"a":2}`, `{"":0}`, `{"\u0061":1}`, `{"a\"b":1}`, `null`, `[]`, `"{"`, `7`, `{"a":{"b":[]},"c":-1.5e3}`, `{"ü":"ü"}`,
	"{\"a\":\"\xff\"}", `{"a":[[],[{}],"]"],"b":true}`,
}

// What an object holds is what package json finds in it.
func FuzzObject(f *testing.F) {
	for _, text := range objects {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			t.Skip("valid JSON is what is read")
		}
		got := map[string]json.RawMessage{}
		read := plain.Object([]byte(text), func(name, value []byte) bool {
			got[string(name)] = value
			return true
		})
		var want map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &want)
		if read && (err != nil || !sameFields(got, want)) {
			t.Errorf("%q: %s, want %s, %v", text, got, want, err)
		}
		if !read && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && !strings.Contains(text, `\`) {
			t.Errorf("%q was not read, and has no escape", text)
		}
	})
}

// sameFields compares objects; package json mends names that are not valid UTF-8.
func sameFields(got, want map[string]json.RawMessage) bool {
	mended := map[string]json.RawMessage{}
	for name, value := range got {
		mended[strings.ToValidUTF8(name, "\ufffd")] = value
	}
	if len(mended) != len(want) { // bytes in a row are mended one by one
		return strings.Contains(strings.Join(names(want), ""), "\ufffd")
	}
	for name, value := range want {
		if string(mended[name]) != string(value) && !strings.Contains(name, "\ufffd") {
			return false
		}
	}
	return true
}

func names(of map[string]json.RawMessage) (all []string) {
	for name := range of {
		all = append(all, name)
	}
	return all
}

// Reading ends where the caller has enough.
func TestObjectEnds(t *testing.T) {
	t.Parallel()
	var first string
	whole := plain.Object([]byte(`{"a":1,"b":2}`), func(name, _ []byte) bool {
		first += string(name)
		return false
	})
	if whole || first != "a" {
		t.Errorf("%v, read %q", whole, first)
	}
}

type arguments struct {
	Query string   `json:"query"`
	Kind  string   `json:"kind,omitempty"`
	Limit int      `json:"limit,omitempty"`
	Least float64  `json:"least,omitempty"`
	Deep  bool     `json:"deep,omitempty"`
	IDs   []string `json:"ids,omitempty"`
}

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	var s *jsonschema.Schema
	err := json.Unmarshal([]byte(`{"type":"object","required":["query"],"additionalProperties":false,"properties":{
		"query":{"type":"string","minLength":1,"maxLength":6,"description":"A question."},
		"kind":{"type":"string","enum":["all","fact"],"default":"all"},
		"limit":{"type":"integer","minimum":1,"maximum":20},
		"least":{"type":"number","minimum":0,"maximum":1,"default":0.5},
		"deep":{"type":"boolean"},
		"ids":{"type":"array","items":{"type":"string"},"maxItems":2}}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent are arguments, and whether they are plain.
var sent = map[string]bool{
	`{"query":"cache"}`: true, `{"query":"caches","kind":"fact","limit":20,"least":0,"deep":true}`: true,
	` {"least" : 1e-1 , "query":"üüüüüü","deep":false} `: true, `{"query":"a","limit":1}`: true,
	`{"query":"a","least":-0}`: true, `{"query":"<b>&"}`: true,

	``: false, `{}`: false, `null`: false, `[]`: false, `{"query":""}`: false, `{"query":"toolong"}`: false, `{"query":7}`: false,
	`{"query":null}`: false, `{"query":"a","kind":"rule"}`: false, `{"query":"a","limit":0}`: false, `{"query":"a","limit":21}`: false,
	`{"query":"a","limit":2.0}`: false, `{"query":"a","limit":2e0}`: false, `{"query":"a","limit":"2"}`: false, `{"query":"a","least":1.5}`: false,
	`{"query":"a","least":1e999}`: false, `{"query":"a","least":"0"}`: false, `{"query":"a","deep":1}`: false, `{"query":"a","deep":null}`: false,
	`{"query":"a","ids":["x"]}`: false, `{"query":"a","more":1}`: false, `{"Query":"a"}`: false, `{"query":"a","query":"b"}`: false,
	`{"query":"\u0061"}`: false, "{\"query\":\"\xff\"}": false, `{"query":"a","limit":1234567890123456}`: false,
}

// S4.17: what is decoded without the validator is what it allows, with its defaults.
func TestArguments(t *testing.T) {
	t.Parallel()
	for raw, want := range sent {
		if got := same(t, raw); got != want {
			t.Errorf("%s is plain: %v, want %v", raw, got, want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for raw := range sent {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) { same(t, raw) })
}

// same decodes arguments both ways, and reports whether they are plain.
func same(t *testing.T, raw string) bool {
	t.Helper()
	s := schema(t)
	quick, err := plain.Arguments[arguments](s)
	if err != nil || quick == nil {
		t.Fatalf("the schema is not known: %v", err)
	}
	if !json.Valid([]byte(raw)) {
		return false
	}
	got, ok := quick(json.RawMessage(raw))
	if !ok {
		return false
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	var given any
	var want arguments
	err = json.Unmarshal([]byte(raw), &given)
	if err == nil {
		err = resolved.ApplyDefaults(&given)
	}
	if err == nil {
		err = resolved.Validate(&given)
	}
	whole, _ := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(whole, &want)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v, %v", raw, got, want, err)
	}
	return true
}

// A schema that says more than is known here is left to the validator.
func TestSchemasOfAnotherForm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*jsonschema.Schema){
		"others are allowed":       func(s *jsonschema.Schema) { s.AdditionalProperties = nil },
		"a condition":              func(s *jsonschema.Schema) { s.If = &jsonschema.Schema{} },
		"one depends on another":   func(s *jsonschema.Schema) { s.DependentRequired = map[string][]string{"kind": {"limit"}} },
		"of no field":              func(s *jsonschema.Schema) { s.Properties["more"] = &jsonschema.Schema{Type: "string"} },
		"a default that is a list": func(s *jsonschema.Schema) { s.Properties["ids"].Default = json.RawMessage(`["a"]`) },
	} {
		s := schema(t)
		change(s)
		if quick, err := plain.Arguments[arguments](s); quick != nil || err != nil {
			t.Errorf("%s: known, %v", name, err)
		}
	}
	for name, change := range map[string]func(*jsonschema.Schema){
		"a pattern":    func(s *jsonschema.Schema) { s.Pattern = "^a" },
		"another type": func(s *jsonschema.Schema) { s.Type, s.MinLength, s.MaxLength = "integer", nil, nil },
		"any type":     func(s *jsonschema.Schema) { s.Type = "" },
		"a number":     func(s *jsonschema.Schema) { s.Enum = []any{1.0} },
	} {
		s := schema(t)
		change(s.Properties["query"])
		quick, err := plain.Arguments[arguments](s)
		if err != nil || quick == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if in, ok := quick(json.RawMessage(`{"query":"a"}`)); ok {
			t.Errorf("%s: decoded as %+v", name, in)
		}
	}
}
