// Package plain reads JSON in the form in which clients write it: names and texts without
// escapes, numbers without exponents, each property of a tool's arguments a single value.
// Package json reads any form, and a validator any schema, for a tenth of what a search over
// MCP costs. Whatever is not plain is reported as such and left to both: nothing is refused
// here, and what is read has their result.
package plain

import (
	"bytes"
	"unicode/utf8"
)

// Object calls field with each name and value of an object, in order, until field returns
// false. It reports whether all was read; that is false for what is no object, and where a
// name has an escape. object must be valid JSON. Names may repeat; values have no space
// around them and share the memory of object.
func Object(object []byte, field func(name, value []byte) bool) bool {
	i := past(object, 0)
	if at(object, i) != '{' {
		return false
	}
	i = past(object, i+1)
	if at(object, i) == '}' {
		return true
	}
	for at(object, i) == '"' {
		n := bytes.IndexByte(object[i+1:], '"')
		if n < 0 || bytes.IndexByte(object[i+1:i+1+n], '\\') >= 0 {
			return false
		}
		name := object[i+1 : i+1+n]
		i = past(object, i+n+2)
		if at(object, i) != ':' {
			return false
		}
		begin := past(object, i+1)
		i = end(object, begin)
		if !field(name, object[begin:i]) {
			return false
		}
		switch i = past(object, i); at(object, i) {
		case '}':
			return true
		case ',':
			i = past(object, i+1)
		default:
			return false
		}
	}
	return false
}

// Text returns the text that a valid JSON value is. It is false for another type, for a text
// with an escape, and for one that is not valid UTF-8, which package json mends.
func Text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 || !utf8.Valid(value) {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

func at(text []byte, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

// past returns the index of the first byte from i on that is no space.
func past(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// end returns the end of the value that begins at i.
func end(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = quoted(text, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth <= 1 {
				return i + depth // the value's own end, or that of the object around a number
			}
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(text)
}

// quoted returns the end of the text whose opening quotation mark is at i.
func quoted(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}
