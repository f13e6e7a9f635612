package postgres

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// owner is another process that owns a cluster.
type owner struct {
	cmd *exec.Cmd
	pid int // of the server
	url string
}

func startOwner(t *testing.T, dir string) owner {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerVariable+"="+dir)
	cmd.Stderr = os.Stderr
	// Held open for the owner's life; when the test process dies, it ends.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := owner{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		_, err = fmt.Sscan(line, &o.pid, &o.url)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("owner did not start: %v", err)
	}
	return o
}

// kill -9s the owner and waits for its end, not for its server's.
func (o owner) kill() {
	o.cmd.Process.Kill()
	o.cmd.Wait()
}

// needServer skips where no PostgreSQL is installed.
func needServer(t *testing.T) {
	t.Helper()
	if _, err := findPrograms(t.Context(), 0); err != nil {
		withoutPrograms(t, err)
	}
}

// Committed rows are there after kill -9 of the owner: the next start waits for
// the server that the kernel is shutting down, or stops it.
func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := filepath.Join(folder(t), "data")
	o := startOwner(t, dir)
	query(t, o.url, `create table kept (id int)`)
	socket, err := os.Readlink(dir + socketLink)
	if err != nil {
		t.Fatal(err)
	}
	o.kill()
	c := begin(t, Options{DataDir: dir, Settings: quick})
	if got := query(t, c.URL("postgres"), `select 'kept'::regclass::text`); got != "kept" {
		t.Errorf("table after kill: %q", got)
	}
	if c.PID() == o.pid {
		t.Error("the orphan's server was taken over, want one of our own")
	}
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("socket folder of the killed owner: %v, want it removed", err)
	}
}

// The machine's worst day: owner and server are gone at once, and the pid file
// is a lie.
func TestOwnerAndServerKilled(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := filepath.Join(folder(t), "data")
	o := startOwner(t, dir)
	query(t, o.url, `create table kept (id int)`)
	if err := syscall.Kill(o.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o.kill()
	c := begin(t, Options{DataDir: dir, Settings: quick})
	if got := query(t, c.URL("postgres"), `select 'kept'::regclass::text`); got != "kept" {
		t.Errorf("table after kill: %q", got)
	}
}

// Where the kernel does not tell the server of its owner's death, it lives on;
// the next start stops it. The orphan here is one that nobody owns at all.
func TestLivingOrphanIsStopped(t *testing.T) {
	t.Parallel()
	needServer(t)
	home := folder(t)
	dir := filepath.Join(home, "data")
	if err := begin(t, Options{DataDir: dir, Settings: quick}).Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	orphan := startOrphan(t, dir)
	c := begin(t, Options{DataDir: dir, Settings: quick})
	query(t, c.URL("postgres"), `select 1::text`)
	// A clean exit: it was asked, not killed.
	if err := orphan.Wait(); err != nil {
		t.Errorf("orphan ended with %v", err)
	}
}

// startOrphan runs a server without anything that ties it to us, and returns
// when it has taken the folder.
func startOrphan(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	bin, err := findPrograms(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	who, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	socketDir := folder(t)
	if err := who.ownFolder(socketDir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin.path("postgres"), "-D", dir, "-c", "listen_addresses=", "-c", "unix_socket_directories="+socketDir)
	cmd.Env = serverEnvironment()
	who.apply(cmd)
	messages, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(messages)
	for lines.Scan() {
		if left, err := readPIDFile(dir); err == nil && left == cmd.Process.Pid {
			go func() { // the server must not block on a full pipe
				for lines.Scan() {
				}
			}()
			return cmd
		}
	}
	t.Fatal("orphan did not start")
	return nil
}

// A pid file whose number now belongs to an unrelated process of the same user
// stops PostgreSQL itself from starting.
func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := filepath.Join(folder(t), "data")
	c := begin(t, Options{DataDir: dir, Settings: quick})
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	who, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	bystander := exec.Command("sleep", "600")
	who.apply(bystander)
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		bystander.Process.Kill()
		bystander.Wait()
	}()
	stale := fmt.Sprintf("%d\n%s\n0\n5432\n\n\n", bystander.Process.Pid, dir)
	if err := os.WriteFile(filepath.Join(dir, pidFile), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	begin(t, Options{DataDir: dir, Settings: quick})
	if err := bystander.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("bystander was harmed: %v", err)
	}
}
