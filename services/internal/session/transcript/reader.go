package transcript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Reader reads the lines of a session one by one. It is not safe for concurrent
// use.
type Reader struct {
	zip *gzip.Reader
	in  *bufio.Reader
	buf []byte
	err error // why there are no more lines
}

// NewReader returns a reader of what [Writer.Close] returned. The error is
// ErrCorrupt.
func NewReader(chunks [][]byte) (*Reader, error) {
	all := make([]io.Reader, 0, len(chunks))
	for _, c := range chunks {
		all = append(all, bytes.NewReader(c))
	}
	zip, err := gzip.NewReader(io.MultiReader(all...))
	if err != nil {
		// Not wrapped: an io.EOF in it would read like a good end.
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err) //nolint:errorlint // said above
	}
	return &Reader{zip: zip, in: bufio.NewReaderSize(zip, 64<<10)}, nil
}

// Next returns the next line, or io.EOF after the last one. The error is
// ErrCorrupt where the transcript ends early or is none. A returned line stays
// valid.
func (r *Reader) Next() (Line, error) {
	if r.err != nil {
		return Line{}, r.err
	}
	raw, err := r.read()
	if err == nil {
		var l Line
		if err = json.Unmarshal(raw, &l); err == nil {
			return l, nil
		}
	}
	if r.err = err; !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return Line{}, r.err
}

// read returns the next line without its line end.
func (r *Reader) read() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		switch {
		case len(r.buf) > MaxLine:
			return nil, ErrLine
		case err == nil:
			return r.buf[:len(r.buf)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.buf) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// Read returns all lines of a session. Errors are those of [NewReader] and
// [Reader.Next].
func Read(chunks [][]byte) ([]Line, error) {
	r, err := NewReader(chunks)
	if err != nil {
		return nil, err
	}
	var all []Line
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}
