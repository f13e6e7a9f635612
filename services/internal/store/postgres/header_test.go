package postgres

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A header is stored as encoding/json writes it and read as it reads it, also one that
// is not plain or was written by hand.
func TestHeaderText(t *testing.T) {
	t.Parallel()
	for _, h := range []map[string][]string{
		{"ce-id": {"evt_1"}, "Content-Type": {"application/protobuf"}, "ce-source": {"winnow"}},
		{"a": {"x", "y"}, "b": {}}, {"quote": {`a"b\c`}}, {"umlaut": {"ü"}}, {"sign": {"a<b>&c"}}, {`na"me`: {"x"}}, {"line": {"a\nb"}},
		{}, {"": {""}}, {"like": {`":["`}},
	} {
		want, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		text := headerText(h, &encoder{})
		if text != string(want) {
			t.Errorf("%v: %s, want %s", h, text, want)
		}
		var back map[string][]string
		if err := (header{&back}).ScanBytes([]byte(text)); err != nil || !reflect.DeepEqual(back, h) {
			t.Errorf("%s is read as %v, %v", text, back, err)
		}
	}
	for _, text := range []string{`{"a": ["b"]}`, `{"a":["b"], "c":["d","e"]}`, `{"a":["\u0062"]}`, `{}`, `null`, `{"a":null}`} {
		var got, want map[string][]string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if err := (header{&got}).ScanBytes([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{`{"a":["b"]`, `{"a":["b"]}}`, `{"a":["b]}`, ``, `{"a":["b"],}`} {
		var got map[string][]string
		if err := (header{&got}).ScanBytes([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
