package local

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/local/foreign"
)

// glanced is how many bytes of a file detection reads.
const glanced = 64 << 10

// transcriptFile is a file as its session is published: one of Claude Code with
// the lines of its subagents, one of an agent without a reader of its own in Winnow's
// format, any other byte for byte. A second reading gives the same bytes, unless a file
// changed meanwhile.
type transcriptFile struct {
	io.Reader
	info   fs.FileInfo
	agents *agentFiles // nil where no subagents are looked for
	close  func() error
}

// openTranscript opens a file of a stated format, or detects the format. The
// error is that of the file system. Missing subagents are no error.
func openTranscript(name string, format trace.Format) (*transcriptFile, error) {
	if t, err := rewritten(name, format); t != nil || err != nil {
		return t, err
	}
	if strings.HasSuffix(name, zipped) {
		return unzipped(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t := &transcriptFile{Reader: f, info: info, close: f.Close}
	if !info.Mode().IsRegular() || !isClaude(f, format) {
		return t, nil
	}
	agents, err := findAgents(name, info.Size())
	if err != nil {
		return t, nil //nolint:nilerr // without its subagents a session is published as it is
	}
	w := newWeaver(f, agents)
	t.Reader, t.agents = w, agents
	t.close = func() error { return errors.Join(w.Close(), agents.Close()) }
	return t, nil
}

// rewritten returns a file of an agent without a reader of its own, nil for any other. A
// stated format is not looked behind: winnow is that of the rewritten trace.
func rewritten(name string, stated trace.Format) (*transcriptFile, error) {
	if stated != "" && stated != trace.FormatWinnow {
		return nil, nil //nolint:nilnil // another file
	}
	text, ok, err := foreign.Rewrite(name)
	if !ok || err != nil {
		return nil, err
	}
	info, err := os.Stat(foreign.FileOf(name))
	if err != nil {
		return nil, err
	}
	return &transcriptFile{Reader: bytes.NewReader(text), info: info, close: func() error { return nil }}, nil
}

// zipped ends the name of a file that was made smaller: Codex does so with rollouts after a
// week, and takes the plain file away.
const zipped = ".zst"

// unzipped opens such a file. Its session is published as the plain file's was, under the
// same event id.
func unzipped(name string) (*transcriptFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// A small file may stand for any length: memory and length are bounded.
	text, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(zippedMemory))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &transcriptFile{Reader: &bounded{text, trace.DefaultLimits().MaxBytes}, info: info, close: func() error {
		text.Close()
		return f.Close()
	}}, nil
}

// zippedMemory bounds the memory of unpacking, in bytes.
const zippedMemory = 128 << 20

// bounded reads so many bytes, and fails after them.
type bounded struct {
	r    io.Reader
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, errors.New("unpacked, it is longer than a trace may be; publish a part of it")
	}
	return n, err
}

// isClaude reports whether a file is a transcript of Claude Code. It does not
// move the file's offset.
func isClaude(f io.ReaderAt, stated trace.Format) bool {
	if stated != "" {
		return stated == trace.FormatClaude
	}
	head := make([]byte, glanced)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false // the next read reports the error
	}
	found, err := format.Detect(head[:n])
	return err == nil && found == trace.FormatClaude
}

// subagents returns the counts for the session, once all of it has been read.
func (t *transcriptFile) subagents() Subagents {
	if t.agents == nil {
		return Subagents{}
	}
	return t.agents.counted()
}

func (t *transcriptFile) Close() error { return t.close() }
