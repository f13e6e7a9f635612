package clients

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errJSON says that a text is no JSON with comments.
var errJSON = errors.New("not valid JSON")

// member is one of an object, by its places in the text.
type member struct {
	name       string
	key        int // where its name begins
	from, upto int // its value
}

// object is one in a text that may have comments and commas that end a list, as
// editors allow them in configuration.
type object struct {
	open, close int // of its braces
	members     []member
	comma       bool // one follows the last member
}

// scanner walks a text.
type scanner struct {
	text []byte
	at   int
}

// blank passes space and comments.
func (s *scanner) blank() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			s.at++
		case s.at == 0 && bytes.HasPrefix(rest, []byte("\uFEFF")):
			s.at += len("\uFEFF")
		case bytes.HasPrefix(rest, []byte("//")):
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				return // the next token fails
			}
			s.at += end + 2
		default:
			return
		}
	}
}

func (s *scanner) next() byte {
	s.blank()
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// take passes a character that has to come now.
func (s *scanner) take(c byte) error {
	if s.next() != c {
		return errJSON
	}
	s.at++
	return nil
}

// object reads the object that begins here.
func (s *scanner) object() (o object, err error) {
	if err := s.take('{'); err != nil {
		return o, err
	}
	o.open = s.at - 1
	for s.next() != '}' {
		if len(o.members) > 0 && !o.comma {
			return o, errJSON
		}
		m := member{key: s.at}
		if m.name, err = s.string(); err != nil {
			return o, err
		}
		if err := s.take(':'); err != nil {
			return o, err
		}
		s.blank()
		m.from = s.at
		if err := s.value(); err != nil {
			return o, err
		}
		m.upto = s.at
		o.members = append(o.members, m)
		if o.comma = s.next() == ','; o.comma {
			s.at++
		}
	}
	o.close = s.at
	s.at++
	return o, nil
}

// value passes one value.
func (s *scanner) value() error {
	switch c := s.next(); c {
	case '{':
		_, err := s.object()
		return err
	case '[':
		s.at++
		for s.next() != ']' {
			if err := s.value(); err != nil {
				return err
			}
			if s.next() == ',' {
				s.at++
			} else if s.next() != ']' {
				return errJSON
			}
		}
		s.at++
		return nil
	case '"':
		_, err := s.string()
		return err
	default:
		from := s.at
		for s.at < len(s.text) && bytes.IndexByte([]byte(",]} \t\r\n/"), s.text[s.at]) < 0 {
			s.at++
		}
		if !json.Valid(s.text[from:s.at]) {
			return errJSON
		}
		return nil
	}
}

func (s *scanner) string() (string, error) {
	if s.next() != '"' {
		return "", errJSON
	}
	from := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			var text string
			if err := json.Unmarshal(s.text[from:s.at], &text); err != nil {
				return "", errJSON
			}
			return text, nil
		}
	}
	return "", errJSON
}

// root reads a text that is one object.
func root(text []byte) (object, error) {
	s := scanner{text: text}
	o, err := s.object()
	if err == nil && s.next() != 0 {
		err = errJSON
	}
	return o, err
}

// within reads the object that is a member's value.
func within(text []byte, m member) (object, error) {
	s := scanner{text: text, at: m.from}
	return s.object()
}

func (o object) find(name string) (member, bool) {
	for _, m := range o.members {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}
