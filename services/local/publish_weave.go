package local

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// weaver reads a transcript with the lines of its subagents, as a stream: what
// a subagent said stands right before the line that reports it. The judge of
// the report has thus seen what the subagent read. Lines are not changed.
//
// It holds one line of each open thread, and is not safe for concurrent use.
type weaver struct {
	agents  *agentFiles
	threads []*thread // the session, its subagent, that one's subagent, …
	out     []byte    // what is still to be returned
}

// thread is a file that is being read.
type thread struct {
	lines lineReader
	file  io.Closer
	held  []byte // the line that waits for its subagent's lines
	ended bool   // the last line has its line end
}

// maxNested is how deep nested subagents are followed. Agents reach 1 or 2;
// each level holds a file open.
const maxNested = 16

func newWeaver(session io.ReadCloser, agents *agentFiles) *weaver {
	return &weaver{agents: agents, threads: []*thread{newThread(session)}}
}

func newThread(r io.ReadCloser) *thread {
	return &thread{lines: lineReader{in: bufio.NewReaderSize(r, 64<<10)}, file: r, ended: true}
}

// Read implements [io.Reader].
func (w *weaver) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if err := w.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// advance prepares the next output; it may have to be called again.
func (w *weaver) advance() error {
	top := w.threads[len(w.threads)-1]
	if top.held != nil {
		w.out, top.held = top.held, nil
		return nil
	}
	line, whole, err := top.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		return w.leave(top)
	case err != nil:
		return err
	}
	top.ended = line[len(line)-1] == '\n'
	if id := agentOf(line); whole && id != "" && len(w.threads) <= maxNested {
		if f, ok := w.agents.open(id); ok {
			top.held = line
			w.threads = append(w.threads, newThread(f))
			return nil
		}
	}
	w.out = line
	return nil
}

// leave returns to the thread that started this one, or ends the session. A
// missing line end is added, so that the next line stays separate.
func (w *weaver) leave(top *thread) error {
	if len(w.threads) == 1 {
		return io.EOF
	}
	if !top.ended {
		w.out = []byte{'\n'}
	}
	w.threads = w.threads[:len(w.threads)-1]
	if err := top.file.Close(); err != nil {
		return fmt.Errorf("close the transcript of a subagent: %w", err)
	}
	return nil
}

// Close closes all files that are open.
func (w *weaver) Close() error {
	var errs []error
	for _, t := range w.threads {
		errs = append(errs, t.file.Close())
	}
	return errors.Join(errs...)
}

// lineReader reads lines and holds at most the size of a record.
type lineReader struct {
	in     *bufio.Reader
	buf    []byte
	within bool // the next piece continues a line
}

// next returns the next line with its end, or a piece of a line that is too
// long for a record: then whole is false. It is never empty without an error,
// and valid until the next call.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	begins := !l.within
	for l.buf = l.buf[:0]; ; {
		part, err := l.in.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		long := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case long && len(l.buf) < trace.DefaultLimits().MaxRecord:
			continue
		case err != nil && !long && (!errors.Is(err, io.EOF) || len(l.buf) == 0):
			return nil, false, err
		}
		l.within = long
		return l.buf, begins && !long, nil
	}
}
