package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// window is how many bytes of a trace detection reads.
const window = 64 << 10

// counted refuses a trace that is too long, and remembers why reading ended, so
// that a broken connection is never reported as a broken file.
type counted struct {
	r    io.Reader
	left int64
	max  int64
	err  error
}

func (c *counted) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		c.err = &trace.Problem{
			What:   fmt.Sprintf("the trace is longer than %d bytes", c.max),
			Remedy: "publish the session in parts, or raise the limit of the intake", Kind: trace.ErrTooLarge,
		}
		return 0, c.err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if _, ours := trace.AsProblem(err); !ours {
			err = fmt.Errorf("read trace: %w", err)
		}
		c.err = err
	}
	return n, err
}

// decoded returns the trace as UTF-8. UTF-16 is recognised by its byte order
// mark. Otherwise the trace is UTF-8 whose invalid bytes are read as
// Windows-1252, the encoding most often mixed in.
func decoded(r io.Reader, repair *repairer) io.Reader {
	raw := bufio.NewReaderSize(r, window)
	head, _ := raw.Peek(3) // an error shows at the first read
	if utf16(head) {
		wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		return transform.NewReader(transform.NewReader(raw, wide), repair)
	}
	if bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) {
		_, _ = raw.Discard(3) // just peeked
	}
	return transform.NewReader(raw, repair)
}

func utf16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF})
}

// repairer replaces invalid bytes so that the result is UTF-8. For JSON it
// writes raw control characters as escapes, as their author meant.
type repairer struct {
	json     bool
	repaired int
}

// Reset implements [transform.Transformer].
func (t *repairer) Reset() {}

// Transform implements [transform.Transformer].
func (t *repairer) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		c := src[read]
		var out [6]byte
		n, take := 1, 1
		switch {
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && t.json:
			n = copy(out[:], fmt.Sprintf(`\u%04x`, c))
		case c < utf8.RuneSelf:
			out[0] = c
		default:
			if !atEOF && !utf8.FullRune(src[read:]) {
				return written, read, transform.ErrShortSrc
			}
			r, size := utf8.DecodeRune(src[read:])
			if r == utf8.RuneError && size == 1 {
				r = charmap.Windows1252.DecodeByte(c)
				t.repaired++
			} else {
				take = size
			}
			n = utf8.EncodeRune(out[:], r)
		}
		if written+n > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += copy(dst[written:], out[:n])
		read += take
	}
	return written, read, nil
}
