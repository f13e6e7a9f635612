package local

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// glanced is how much of a file tells its format, in bytes.
const glanced = 64 << 10

// transcriptFile is a file as its session is published: one of Claude Code with
// the lines of its subagents in it, any other byte for byte. Whoever reads it
// twice reads the same, unless a file changed meanwhile.
type transcriptFile struct {
	io.Reader
	info   fs.FileInfo
	agents *agentFiles // nil where no subagents are looked for
	close  func() error
}

// openTranscript opens a file of a stated format; without one it is recognised.
// The error is that of the file system. That subagents cannot be found is none.
func openTranscript(name string, format trace.Format) (*transcriptFile, error) {
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
		return t, nil
	}
	w := newWeaver(f, agents)
	t.Reader, t.agents = w, agents
	t.close = func() error { return errors.Join(w.Close(), agents.Close()) }
	return t, nil
}

// isClaude reports a transcript of Claude Code and leaves the place in the file
// where it was.
func isClaude(f io.ReaderAt, stated trace.Format) bool {
	if stated != "" {
		return stated == trace.FormatClaude
	}
	head := make([]byte, glanced)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false // whoever reads on will say so
	}
	found, err := format.Detect(head[:n])
	return err == nil && found == trace.FormatClaude
}

// subagents counts those of the session, once all of it has been read.
func (t *transcriptFile) subagents() Subagents {
	if t.agents == nil {
		return Subagents{}
	}
	return t.agents.counted()
}

func (t *transcriptFile) Close() error { return t.close() }
