package postgres

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child process that ends with this process.
type process struct {
	pid  int
	os   *os.Process
	done chan struct{}
}

// launch starts a program as who, with both output streams in log.
//
// The kernel ties the death signal to the thread that forked, not to our
// process: if the Go runtime retired that thread the server would be shut down
// under us. So one goroutine keeps its thread for the child's whole life.
func launch(who account, log *os.File, name string, args ...string) (*process, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // the server ends by its own protocol, never by a context
	cmd.Env = serverEnvironment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// A group of its own: Ctrl-C in the terminal is for us, and we stop the
		// server last.
		Setpgid: true,
	}
	dieWithParent(cmd.SysProcAttr)
	who.apply(cmd)

	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Never unlocked: the thread ends with the goroutine, after the child.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		defer close(p.done)
		// The exit status is in the server's log, with a reason.
		_ = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.os, p.pid = cmd.Process, cmd.Process.Pid
	return p, nil
}

// signal ignores that the process may be gone: done says so better.
func (p *process) signal(sig syscall.Signal) { _ = p.os.Signal(sig) }

// kill ends the server at once, its own children included, and waits for it.
func (p *process) kill() {
	p.signal(syscall.SIGQUIT)
	<-p.done
}

// serverEnvironment returns the environment of PostgreSQL's programs, without this
// process's variables: those may hold keys, and PGDATA or PGOPTIONS would change the server.
func serverEnvironment() []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}
