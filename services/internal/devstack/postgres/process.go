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
// The kernel sends the death signal when the thread that forked ends, not when the
// process ends. If the Go runtime ended that thread, a running server would shut down.
// So one goroutine locks its thread until the child has ended.
func launch(who account, log *os.File, name string, args ...string) (*process, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // the server ends by its own protocol, never by a context
	cmd.Env = serverEnvironment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// A separate process group: Ctrl-C in the terminal must reach this process
		// only, which stops the server last.
		Setpgid: true,
	}
	dieWithParent(cmd.SysProcAttr)
	who.apply(cmd)

	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Never unlocked, so the thread ends with the goroutine, after the child.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		defer close(p.done)
		// The server's log contains the exit status and the reason.
		_ = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.os, p.pid = cmd.Process, cmd.Process.Pid
	return p, nil
}

// signal sends sig. It ignores errors: done reports whether the process has ended.
func (p *process) signal(sig syscall.Signal) { _ = p.os.Signal(sig) }

// kill ends the server and its child processes immediately and waits for the end.
func (p *process) kill() {
	p.signal(syscall.SIGQUIT)
	<-p.done
}

// serverEnvironment returns the environment of PostgreSQL's programs, without this
// process's variables: those may hold keys, and PGDATA or PGOPTIONS would change the server.
func serverEnvironment() []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}
