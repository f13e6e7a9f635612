package local

import (
	"bytes"
	"encoding/json"
	"errors"
)

// object is a JSON object whose fields keep their order and, unless they are set,
// their bytes: for files that belong to somebody else.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// parseObject reads an object. Nothing, and null, are an empty one.
func parseObject(text []byte) (*object, error) {
	o := &object{values: map[string]json.RawMessage{}}
	if text = bytes.TrimSpace(text); len(text) == 0 || string(text) == "null" {
		return o, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.Join(errors.New("no object"), err)
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // a key is always one
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		o.set(name, value)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("something follows the object")
	}
	return o, nil
}

func (o *object) get(name string) json.RawMessage { return o.values[name] }

// set replaces a field where it stands, or adds it at the end.
func (o *object) set(name string, value json.RawMessage) {
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

func (o *object) bytes() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(name) // a string always can be
		b.Write(key)
		b.WriteByte(':')
		b.Write(o.values[name])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// indented is the object as people write settings.
func (o *object) indented() ([]byte, error) {
	var b bytes.Buffer
	err := json.Indent(&b, o.bytes(), "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}
