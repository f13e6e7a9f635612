package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/tailscale/hujson"
)

// The reasons why a text is not changed.
var (
	// ErrInvalid: it is no JSON object, also with comments.
	ErrInvalid = errors.New("not valid JSON")
	// ErrKind: a value on the way to the edited one has another kind.
	ErrKind = errors.New("it has a value of another kind there")
	// ErrTwice: a name on the way is there twice, and readers differ in which of
	// them counts.
	ErrTwice = errors.New("it has the name twice")
)

// mark is the byte order mark that some editors write first.
const mark = "\uFEFF"

// empty is what an edit makes of a file without content.
const empty = "{}\n"

// list is an object or array by its positions in the text.
type list struct {
	object      bool
	open, close int // of its braces or brackets
	items       []item
	comma       bool // one follows the last item
}

// item is a member of an object or an element of an array.
type item struct {
	name       string // of a member
	at         int    // where it begins, with its name
	from, upto int    // its value
	value      *hujson.Value
}

// root reads a text, which is one object.
func root(text []byte) (list, error) {
	body := bytes.TrimPrefix(text, []byte(mark))
	v, err := hujson.Parse(body)
	if err != nil {
		return list{}, ErrInvalid // the parser's message could quote the file
	}
	l, ok := listOf(&v, len(text)-len(body))
	if !ok || !l.object {
		return list{}, ErrInvalid
	}
	return l, nil
}

// listOf returns the list that a value holds; base is the position of the
// parsed text in the whole.
func listOf(v *hujson.Value, base int) (l list, ok bool) {
	l = list{open: base + v.StartOffset, close: base + v.EndOffset - 1}
	var last *hujson.Value
	add := func(name string, begins, value *hujson.Value) {
		l.items = append(l.items, item{
			name: name, at: base + begins.StartOffset,
			from: base + value.StartOffset, upto: base + value.EndOffset, value: value,
		})
		last = value
	}
	switch content := v.Value.(type) {
	case *hujson.Object:
		l.object = true
		for i := range content.Members {
			m := &content.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			add(name.String(), &m.Name, &m.Value)
		}
	case *hujson.Array:
		for i := range content.Elements {
			add("", &content.Elements[i], &content.Elements[i])
		}
	default:
		return list{}, false
	}
	l.comma = last != nil && last.AfterExtra != nil
	return l, true
}

// list returns the list that an item holds.
func (i item) list() (list, bool) { return listOf(i.value, i.from-i.value.StartOffset) }

// find returns the member with a name, if there is one. The error is
// [ErrTwice].
func (l list) find(name string) (found item, ok bool, err error) {
	for _, i := range l.items {
		if l.object && i.name == name {
			if ok {
				return item{}, false, fmt.Errorf("%s: %w", name, ErrTwice)
			}
			found, ok = i, true
		}
	}
	return found, ok, nil
}

// isNull reports whether an item holds nothing yet.
func (i item) isNull() bool {
	literal, ok := i.value.Value.(hujson.Literal)
	return ok && literal.Kind() == 'n'
}

// Decode decodes a text, without its comments, into v. A text without content
// is an empty object. The error is [ErrInvalid], or names the kind of a value
// that v cannot hold.
func Decode(text []byte, v any) error {
	text = filled(text)
	if _, err := root(text); err != nil {
		return err
	}
	standard, err := hujson.Standardize(bytes.TrimPrefix(bytes.Clone(text), []byte(mark)))
	if err != nil {
		return ErrInvalid
	}
	return json.Unmarshal(standard, v)
}

// filled returns the text, or an empty object for an empty text.
func filled(text []byte) []byte {
	if t := bytes.TrimSpace(text); len(t) == 0 || string(t) == "null" {
		return []byte(empty)
	}
	return text
}

// backward yields a path's names from its end.
func backward(path []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := len(path) - 1; i >= 0; i-- {
			if !yield(path[i]) {
				return
			}
		}
	}
}
