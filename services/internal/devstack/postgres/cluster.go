package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/filelock"
)

// superuser is the role that owns the cluster. It has no password: the mode of the
// socket's folder is the authentication.
const superuser = "winnow"

// Cluster is a running server. Its methods are safe for concurrent use.
type Cluster struct {
	opts      Options
	socketDir string
	ownSocket bool
	lock      *filelock.Lock
	server    *process

	stopping sync.Once
	stopErr  error
}

// Start creates the cluster when needed, repairs the folder after a killed process, starts
// the server and returns once it answers. ctx bounds the start only; the server runs until
// Stop, or until this process dies.
//
// Errors: ErrNoBinaries, ErrInUse, ErrVersion, ErrUnreachable, ErrSocketPath, or the last
// messages of the server.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	opts = opts.withDefaults()
	if opts.DataDir == "" {
		return nil, errors.New("start postgres: no data folder given")
	}
	dir, err := filepath.Abs(opts.DataDir)
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	opts.DataDir = dir

	ctx, cancel := context.WithTimeout(ctx, opts.StartTimeout)
	defer cancel()
	c := &Cluster{opts: opts}
	if err := c.start(ctx); err != nil {
		c.release()
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return c, nil
}

// start runs the steps of Start. After an error, release frees the acquired
// resources.
func (c *Cluster) start(ctx context.Context) error {
	began := time.Now()
	who, err := serverAccount()
	if err != nil {
		return err
	}
	if err := c.own(); err != nil {
		return err
	}
	if err := heal(ctx, c.opts.DataDir, c.opts.Logger); err != nil {
		return err
	}
	bin, err := choosePrograms(ctx, c.opts, who)
	if err != nil {
		return err
	}
	if err := ensureData(ctx, bin, who, c.opts); err != nil {
		return err
	}
	c.ownSocket = c.opts.SocketDir == ""
	c.socketDir, err = openSocketFolder(who, c.opts)
	if err != nil {
		return err
	}
	log, err := openLog(c.opts.DataDir)
	if err != nil {
		return err
	}
	defer log.Close()

	args := append([]string{"-D", c.opts.DataDir}, c.opts.arguments(c.socketDir)...)
	c.server, err = launch(who, log.file, bin.path("postgres"), args...)
	if err != nil {
		return fmt.Errorf("run server: %w", err)
	}
	if err := c.awaitReady(ctx); err != nil {
		c.server.kill()
		return fmt.Errorf("%w; last lines of %s:\n%s", err, log.path, log.tail())
	}
	c.opts.Logger.Info("postgres started",
		zap.Int("pid", c.server.pid), zap.Int("major", bin.major),
		zap.String("data", c.opts.DataDir), zap.Duration("took", time.Since(began)))
	return nil
}

// own locks the data folder for this process.
func (c *Cluster) own() error {
	if err := os.MkdirAll(filepath.Dir(c.opts.DataDir), 0o711); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	lock, err := filelock.TryAcquire(c.opts.DataDir + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	c.lock = lock
	return err
}

// awaitReady returns when the server answers, when the server has ended, or when ctx
// ends. A server in crash recovery refuses connections until the recovery is
// complete.
func (c *Cluster) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgconn.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.server.done:
			return errors.New("server ended while starting")
		case <-ctx.Done():
			return fmt.Errorf("server does not answer: %w", errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

// URL returns the connection string of a database for the cluster's superuser, as pgx and
// libpq understand it. It holds no secret, only the socket's folder.
func (c *Cluster) URL(database string) string {
	query := url.Values{"host": {c.socketDir}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: "", Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

// PID returns the server's process id.
func (c *Cluster) PID() int { return c.server.pid }

// Done returns a channel that is closed when the server has ended, for any reason.
func (c *Cluster) Done() <-chan struct{} { return c.server.done }

// Stop shuts the server down. A durable cluster gets a fast shutdown: connections are
// closed and data is written. An ephemeral cluster gets an immediate shutdown. When
// ctx ends first, Stop changes to an immediate shutdown and returns an error; the
// next start runs the recovery. Stop may be called again and then returns the same
// result.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopping.Do(func() {
		defer c.release()
		sig := syscall.SIGINT
		if c.opts.Ephemeral {
			sig = syscall.SIGQUIT
		}
		c.server.signal(sig)
		select {
		case <-c.server.done:
		case <-ctx.Done():
			// The server kills its own child processes after five seconds.
			c.server.signal(syscall.SIGQUIT)
			<-c.server.done
			c.stopErr = fmt.Errorf("stop postgres: cut short: %w", ctx.Err())
		}
		c.opts.Logger.Info("postgres stopped", zap.Int("pid", c.server.pid))
	})
	return c.stopErr
}

// release removes the socket folder and then releases the lock: the next owner must not
// find this process's socket.
func (c *Cluster) release() {
	if c.ownSocket {
		_ = removeSocketFolder(c.opts.DataDir) // a folder that stays is empty
	}
	if c.lock != nil {
		c.lock.Release()
	}
}
