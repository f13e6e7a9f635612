package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// process is one real worker or broker.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has exited and its log is read
	err  error         // why it exited, once done is closed

	lines *logBook
}

// spawn starts a binary and reads its JSON log as it is written. The process is
// killed when the test ends, in any case.
func spawn(t *testing.T, name string, lines *logBook, bin string, args, env []string) *process {
	t.Helper()
	p := &process{t: t, name: name, done: make(chan struct{}), lines: lines}
	p.cmd = exec.Command(bin, args...)
	p.cmd.Env = append(os.Environ(), env...)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatalf("%s: stderr: %v", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s: start: %v", name, err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.done })
	go func() {
		lines.read(name, stderr)
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p
}

// term asks the process to drain.
func (p *process) term() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// kill sends SIGKILL, as the kernel would.
func (p *process) kill() { _ = p.cmd.Process.Kill(); <-p.done }

// killed reports that SIGKILL ended it: its own crash point, or kill.
func (p *process) killed() bool {
	<-p.done
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// exited waits until the process has exited or ctx ends.
func (p *process) exited(ctx context.Context) bool {
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// logBook counts the workers' log lines about redelivered events and stores the
// last lines for a failing test.
type logBook struct {
	inboxHits atomic.Int64

	mu       sync.Mutex
	hits     map[string]int64 // of inboxHits, by process
	tail     []string
	recorded *strings.Builder // nil unless all lines are recorded
}

// recordAll records every line from now on.
func (b *logBook) recordAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recorded = new(strings.Builder)
}

// hitsOf is how many redelivered events a process found done.
func (b *logBook) hitsOf(name string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hits[name]
}

// everything returns the lines since recordAll.
func (b *logBook) everything() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.recorded.String()
}

const tailLines = 60

func (b *logBook) read(name string, r io.Reader) {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := scan.Text()
		var entry struct {
			Msg        string `json:"msg"`
			Duplicates int64  `json:"duplicates"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Duplicates > 0 {
			b.inboxHits.Add(entry.Duplicates)
		}
		b.mu.Lock()
		if b.hits == nil {
			b.hits = map[string]int64{}
		}
		b.hits[name] += entry.Duplicates
		b.tail = append(b.tail, name+": "+line)
		if b.recorded != nil {
			b.recorded.WriteString(line + "\n")
		}
		if len(b.tail) > tailLines {
			b.tail = b.tail[1:]
		}
		b.mu.Unlock()
	}
}

func (b *logBook) last() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.tail, "\n")
}

// eventually polls a condition that other processes bring about; there is no
// signal to wait on across processes but the database and the stream.
func eventually(t *testing.T, within time.Duration, what string, check func() (bool, string)) {
	t.Helper()
	deadline := time.Now().Add(within)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, state := check()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s; %s", what, within, state)
		}
		<-tick.C
	}
}
