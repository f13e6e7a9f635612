package jsonedit_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/winnowhq/winnow/services/local/jsonedit"
)

func TestSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path          []string
		before, after string
	}{
		"no file":               {[]string{"a", "b"}, "", "{\n  \"a\": {\n    \"b\": 7\n  }\n}\n"},
		"null":                  {[]string{"a"}, "null\n", "{\n  \"a\": 7\n}\n"},
		"in place":              {[]string{"a"}, "{ \"a\":  [1], // mine\n}", "{ \"a\":  7, // mine\n}"},
		"a null on the way":     {[]string{"a", "b"}, "{\"a\": null}", "{\"a\": {\n  \"b\": 7\n}}"},
		"behind comments":       {[]string{"b"}, "{\n\t\"a\": 1 // one\n\t// two\n}\n", "{\n\t\"a\": 1, // one\n\t// two\n\t\"b\": 7\n}\n"},
		"behind a last comma":   {[]string{"b"}, "{\n    \"a\": 1,\n}", "{\n    \"a\": 1,\n    \"b\": 7\n}"},
		"mark at the beginning": {[]string{"a"}, "\uFEFF{\"a\": 1}", "\uFEFF{\"a\": 7}"},
		"name with a slash":     {[]string{"a/b~"}, `{"a/b~": 1, "a": {"b~": 2}}`, `{"a/b~": 7, "a": {"b~": 2}}`},
		"name with an escape":   {[]string{"a"}, `{"\u0061": 1}`, `{"\u0061": 7}`},
	} {
		got, err := jsonedit.Set([]byte(c.before), 7, c.path...)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v, got:\n%s\nwant:\n%s", name, err, got, c.after)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"no list":            {"{}", "{\n  \"a\": {\n    \"l\": [\n      7\n    ]\n  }\n}"},
		"null":               {"{\"a\": {\"l\": null}}", "{\"a\": {\"l\": [\n  7\n]}}"},
		"empty":              {"{\n  \"a\": {\n    \"l\": []\n  }\n}\n", "{\n  \"a\": {\n    \"l\": [\n      7\n    ]\n  }\n}\n"},
		"comments and comma": {"{\n  \"a\": {\n    \"l\": [\n      1, // one\n      /* two */ 2, // 2\n    ]\n  }\n}\n", "{\n  \"a\": {\n    \"l\": [\n      1, // one\n      /* two */ 2, // 2\n      7\n    ]\n  }\n}\n"},
		"one line":           {`{"a": {"l": [1, 2]}}`, "{\"a\": {\"l\": [1, 2,\n  7\n]}}"},
	} {
		got, err := jsonedit.Append([]byte(c.before), 7, "a", "l")
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v, got:\n%s\nwant:\n%s", name, err, got, c.after)
		}
	}
}

// What is removed takes its comma and its space with it, and nothing else.
func TestRemove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"the only one":             {"{\n  \"a\": {\n    \"b\": 7\n  }\n}\n", "{\n  \"a\": {}\n}\n"},
		"the last":                 {"{\"a\": {\n\t\"x\": 1,\n\t\"b\": {\"c\": 7}\n}}", "{\"a\": {\n\t\"x\": 1\n}}"},
		"the first":                {"{\"a\": {\n\t\"b\": 7,\n\t\"x\": 1\n}}", "{\"a\": {\n\t\"x\": 1\n}}"},
		"one line":                 {`{"a": {"x": 1, "b": 7}}`, `{"a": {"x": 1}}`},
		"a last comma":             {"{\"a\": {\n  \"x\": 1,\n  \"b\": 7, // ours\n}}", "{\"a\": {\n  \"x\": 1,\n   // ours\n}}"},
		"comments around":          {"{\"a\": { // mine\n  \"x\": 1, // one\n  /* two */ \"b\": 7 // three\n}}", "{\"a\": { // mine\n  \"x\": 1 // one\n  /* two */ // three\n}}"},
		"a comment, and the brace": {"{\"a\": { // mine\n  \"b\": 7}}", "{\"a\": { // mine\n  }}"},
		"a comment, and another":   {"{\"a\": { // mine\n  \"b\": 7, \"x\": 1\n}}", "{\"a\": { // mine\n   \"x\": 1\n}}"},
		"not there":                {`{"a": {"x": 1}}`, `{"a": {"x": 1}}`},
		"no object on the way":     {`{"a": [1]}`, `{"a": [1]}`},
		"no text":                  {"", ""},
	} {
		got, err := jsonedit.Remove([]byte(c.before), "a", "b")
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v, got:\n%s\nwant:\n%s", name, err, got, c.after)
		}
	}
	if got, err := jsonedit.Remove([]byte(`{"a": {"b": 1, "b": 2}}`), "a", "b"); !errors.Is(err, jsonedit.ErrTwice) {
		t.Errorf("twice: %s, %v", got, err)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`{"a": 1, // mine`: jsonedit.ErrInvalid, `[1]`: jsonedit.ErrInvalid, `{} {}`: jsonedit.ErrInvalid, "\xff": jsonedit.ErrInvalid,
		`{"a": 1}`: jsonedit.ErrKind, `{"a": []}`: jsonedit.ErrKind, `{"a": {"l": {}}}`: jsonedit.ErrKind, `{"a": {"l": "x"}}`: jsonedit.ErrKind,
		`{"a": {}, "a": {}}`: jsonedit.ErrTwice, `{"a": {"l": [], "\u006c": []}}`: jsonedit.ErrTwice,
	} {
		if got, err := jsonedit.Append([]byte(text), 7, "a", "l"); !errors.Is(err, want) || got != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

// FuzzEdit: an edit is refused or is what a reader finds, and nothing else changes
// for that reader.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "{,}", `{"a":[1,{"b":"}"},],}`, "{\"a\":{\"l\":[1 // c\n]}}", `{"a":{"l":[],"m":{}}}`, "\uFEFF{ /* a */ }", `{"a":null}`,
		`{"a":{},"a":{"l":[2]}}`, "{\r\n\t\"a\": {},\r\n}", `{"\u0061":{"l":null}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after map[string]any
		if jsonedit.Decode(text, &before) != nil {
			if out, err := jsonedit.Append(text, 7, "a", "l"); err == nil {
				t.Fatalf("%q cannot be read and becomes %q", text, out)
			}
			return
		}
		out, err := jsonedit.Append(text, 7.0, "a", "l")
		if err != nil {
			return
		}
		if err := jsonedit.Decode(out, &after); err != nil {
			t.Fatalf("%q becomes %q: %v", text, out, err)
		}
		if doubled(text) {
			return // elsewhere: which of two names counts is the reader's
		}
		a, _ := before["a"].(map[string]any)
		if a == nil {
			a = map[string]any{}
		}
		l, _ := a["l"].([]any)
		a["l"] = append(l, 7.0)
		before["a"] = a
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q becomes %q", text, out)
		}
		out, err = jsonedit.Remove(out, "a", "l")
		var rest map[string]any
		if err != nil || jsonedit.Decode(out, &rest) != nil {
			t.Fatalf("%q without the list: %q, %v", text, out, err)
		}
		if delete(a, "l"); !reflect.DeepEqual(before, rest) {
			t.Errorf("%q without the list is %q", text, out)
		}
	})
}
