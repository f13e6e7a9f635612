package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// documentSource reads one JSON value: a list of records, or an object that has
// lists of records among its fields. It holds one record at a time.
type documentSource struct {
	dec   *json.Decoder
	below *counted
	max   int
	as    fields

	started bool
	object  bool
	list    string // the field whose list is being read
	inList  bool
	n       int
}

// fields reads the parts of a document.
type fields interface {
	record
	// lists reports whether a field's value is a list of records.
	lists(name string) bool
	// field reads a field for which wants is true; the others are skipped
	// unread.
	field(r *Reader, name string, raw []byte)
	wants(name string) bool
}

func (s *documentSource) next(r *Reader) error {
	err := s.step(r)
	switch {
	case err == nil:
		return nil
	case s.below.err != nil:
		return s.below.err
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && s.started && !s.inList && !s.object:
		if s.dec.More() {
			r.session.Report.Skip(&trace.Problem{What: "something follows the end of the JSON", Remedy: "send one session a file"})
		}
	default:
		// After a syntax error no later token can be trusted.
		where := position{field: s.list}
		if s.inList {
			where.field = fmt.Sprintf("%s[%d]", s.list, s.n)
		}
		var p *trace.Problem
		if !errors.As(err, &p) {
			p = where.problem("", "the JSON ends or breaks off here", "publish the session when its file is complete")
		}
		r.session.Report.NoteCut(p)
	}
	s.as.end(r)
	return io.EOF
}

// step reads one record or one field.
func (s *documentSource) step(r *Reader) error {
	switch {
	case !s.started:
		return s.start()
	case s.inList:
		return s.element(r)
	case s.object && s.dec.More():
		return s.member(r)
	case s.object:
		if _, err := s.dec.Token(); err != nil {
			return err
		}
		s.object = false
	}
	return io.EOF
}

func (s *documentSource) start() error {
	token, err := s.dec.Token()
	if err != nil {
		return err
	}
	s.started = true
	switch token {
	case json.Delim('{'):
		s.object = true
	case json.Delim('['):
		s.inList = true
	default:
		return &trace.Problem{What: "the trace is neither an object nor a list", Remedy: "send an object or a list of turns"}
	}
	return nil
}

func (s *documentSource) element(r *Reader) error {
	if !s.dec.More() {
		if _, err := s.dec.Token(); err != nil {
			return err
		}
		s.inList, s.list, s.n = false, "", 0
		return nil
	}
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return err
	}
	at := position{field: fmt.Sprintf("%s[%d]", s.list, s.n), n: s.n + 1}
	s.n++
	if len(raw) > s.max {
		r.session.Report.Skip(at.problem("", fmt.Sprintf("the element has %d bytes, more than %d", len(raw), s.max), "split the turn, or publish what it prints by reference"))
		return nil
	}
	r.dispatch(s.as, raw, at)
	return nil
}

func (s *documentSource) member(r *Reader) error {
	token, err := s.dec.Token()
	if err != nil {
		return err
	}
	name, _ := token.(string) // a key is always one
	switch {
	case s.as.lists(name):
		if token, err = s.dec.Token(); err != nil {
			return err
		}
		if token == json.Delim('[') {
			s.inList, s.list, s.n = true, name, 0
			return nil
		}
		if token == json.Delim('{') {
			if err := skipRest(s.dec); err != nil {
				return err
			}
		}
		r.session.Report.Skip(&trace.Problem{Field: name, What: "this is no list", Remedy: "send the turns as a list of objects"})
		return nil
	case s.as.wants(name):
		var raw json.RawMessage
		if err := s.dec.Decode(&raw); err != nil {
			return err
		}
		s.as.field(r, name, raw)
		return nil
	}
	return skipValue(s.dec)
}

// skipValue skips one value without holding it.
func skipValue(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		return skipRest(dec)
	}
	return nil
}

// skipRest skips the rest of an object or list that was just opened.
func skipRest(dec *json.Decoder) error {
	for depth := 1; depth > 0; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}
