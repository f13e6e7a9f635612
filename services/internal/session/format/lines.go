package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// record reads one JSON value of a trace. at is the value's position, for
// problems and turns.
type record interface {
	record(r *Reader, raw []byte, at position)
	// end is called once, after the last record and the last field.
	end(r *Reader)
}

// position is where a record stands.
type position struct {
	line  int    // in a file of lines
	field string // such as messages[3], in a document
	n     int    // line or element, from 1
}

func (p position) problem(field, what, remedy string) *trace.Problem {
	if p.field != "" {
		if field == "" {
			field = p.field
		} else {
			field = p.field + "." + field
		}
	}
	return &trace.Problem{Line: p.line, Field: field, What: what, Remedy: remedy}
}

// lineSource reads one record a line.
type lineSource struct {
	in    *bufio.Reader
	below *counted
	max   int
	line  int
	buf   []byte
	as    record
}

func (s *lineSource) next(r *Reader) error {
	raw, size, err := s.read()
	if s.below.err != nil {
		return s.below.err
	}
	s.line++
	at := position{line: s.line, n: s.line}
	ended := errors.Is(err, io.EOF)
	switch raw = bytes.TrimSpace(raw); {
	case err != nil && !ended:
		return fmt.Errorf("read trace: %w", err)
	case size > s.max:
		r.session.Report.Skip(at.problem("", fmt.Sprintf("the line has %d bytes, more than %d", size, s.max), "split the turn, or publish what it prints by reference"))
	case len(raw) > 0 && !json.Valid(raw):
		p := at.problem("", "the line is no JSON value", "write one JSON object a line")
		if ended && raw[0] == '{' {
			p.What, p.Remedy = "the file ends in the middle of a line", "publish the session when its file is closed"
			r.session.Report.NoteCut(p)
			r.session.Report.Skipped++
		} else {
			r.session.Report.Skip(p)
		}
	case len(raw) > 0:
		r.dispatch(s.as, raw, at)
	}
	if ended {
		s.as.end(r)
		return io.EOF
	}
	return nil
}

// read returns the next line and its size. A line over the limit is read and
// discarded.
func (s *lineSource) read() (line []byte, size int, err error) {
	s.buf = s.buf[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		size += len(part)
		if len(s.buf)+len(part) <= s.max+1 {
			s.buf = append(s.buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.buf, size, err
		}
	}
}
