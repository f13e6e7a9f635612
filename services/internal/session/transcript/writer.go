package transcript

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
)

// level prefers speed to size: a trace is read once or twice, and written by
// the hundred per second.
const level = gzip.BestSpeed

// Writer writes one session. It is not safe for concurrent use.
type Writer struct {
	chunks chunks
	zip    *gzip.Writer
	line   bytes.Buffer // the line being written
	json   *json.Encoder
	digest digest
	bytes  int64
	closed bool
}

// NewWriter returns a writer for a new session.
func NewWriter() *Writer {
	w := &Writer{digest: newDigest()}
	zip, err := gzip.NewWriterLevel(&w.chunks, level)
	if err != nil {
		zip = gzip.NewWriter(&w.chunks) // the level is a valid constant
	}
	w.zip = zip
	w.json = json.NewEncoder(&w.line)
	w.json.SetEscapeHTML(false)
	return w
}

// Add writes the next line. After an error nothing of the line was written, and
// further lines may follow. The errors are ErrLine for a line that is too long,
// and ErrClosed after Close.
func (w *Writer) Add(l Line) error {
	if w.closed {
		return ErrClosed
	}
	w.line.Reset()
	if err := w.json.Encode(l); err != nil {
		return fmt.Errorf("encode line: %w", err)
	}
	if w.line.Len() > MaxLine {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrLine, w.line.Len(), MaxLine)
	}
	if _, err := w.zip.Write(w.line.Bytes()); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	w.digest.add(l)
	w.bytes += int64(len(l.Text))
	return nil
}

// Close ends the session. It returns what is to be stored, the hash as
// memory.Session has it, in hexadecimal, and the bytes of all texts.
func (w *Writer) Close() (chunks [][]byte, hash string, bytes int64, err error) {
	if w.closed {
		return nil, "", 0, ErrClosed
	}
	w.closed = true
	if err := w.zip.Close(); err != nil {
		return nil, "", 0, fmt.Errorf("compress: %w", err)
	}
	return w.chunks, w.digest.String(), w.bytes, nil
}

// chunks splits what is written to it into chunks.
type chunks [][]byte

// Write implements [io.Writer]. It cannot fail.
func (c *chunks) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if n := len(*c); n == 0 || len((*c)[n-1]) == MaxChunk {
			*c = append(*c, nil)
		}
		last := &(*c)[len(*c)-1]
		n := min(len(p), MaxChunk-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
	return written, nil
}
