package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/devstack/state"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/run/memlimit"
)

// Ports of winnow dev. Databases, brokers and dashboards do not usually use them.
const (
	DevHTTPPort = 7420
	DevNATSPort = 7422
)

// stopWithin bounds the shutdown of PostgreSQL, which writes its buffers to disk.
const stopWithin = time.Minute

const (
	redactKeyFile = "redact.key"
	auditKeyFile  = "audit.key"
	vaultFolder   = "vault"
)

// DevOptions configures a standalone installation.
type DevOptions struct {
	// HTTPPort and NATSPort are on loopback; 0 selects a free one.
	HTTPPort, NATSPort int
	// Ephemeral stores everything in a temporary folder and disables durability
	// for speed.
	Ephemeral bool
	// Download allows fetching PostgreSQL when none is installed.
	Download bool
	// Notice receives messages for a person during the start; may be nil.
	Notice func(text string)
}

// Dev is a running standalone installation.
type Dev struct {
	// Config holds the settings with which a session in this process connects.
	Config Config
	// HTTPURL and NATSURL are its addresses; Dir is its folder.
	HTTPURL, NATSURL, Dir string
	// GatewayFile holds the address, with its password, at which a chat gateway
	// logs in; empty where the NATS server is the user's own.
	GatewayFile string
	Ephemeral   bool
	// OwnPostgres and OwnNATS report whether it runs its own servers.
	OwnPostgres, OwnNATS bool
	Workers              []string
	Similarity           string        // description of model and index
	Distiller            string        // description of what draws lessons from sessions
	Took                 time.Duration // from the call of StartDev until ready

	dir      *state.Dir
	postgres *devpostgres.Cluster
	server   *devnats.Server
	shell    *shell
	cancel   context.CancelFunc
	done     chan struct{}
	err      error
}

// StartDev runs every worker in this process and returns when all are ready. It starts a
// private PostgreSQL and an embedded NATS where cfg names none. The caller ends it with
// Stop, or waits for a failure with Wait.
func StartDev(ctx context.Context, cfg Config, o DevOptions, log *zap.Logger, defs ...worker.Definition) (*Dev, error) {
	memlimit.ApplyReserve()
	began := time.Now()
	d := &Dev{Ephemeral: o.Ephemeral, done: make(chan struct{})}
	if err := d.start(ctx, cfg, o, log, defs); err != nil {
		d.release()
		return nil, err
	}
	d.Took = time.Since(began)
	return d, nil
}

func (d *Dev) start(ctx context.Context, cfg Config, o DevOptions, log *zap.Logger, defs []worker.Definition) error {
	if err := d.openDir(ctx, &cfg, o); err != nil {
		return err
	}
	if err := d.startServers(ctx, &cfg, o, log, defs); err != nil {
		return err
	}
	cfg.HTTP.Addr = net.JoinHostPort("127.0.0.1", fmt.Sprint(o.HTTPPort))
	var connect inProcess
	if d.server != nil {
		connect = d.server.Connect
	}
	p, err := open(ctx, cfg, log, "dev", defs, connect)
	if err != nil {
		return err
	}
	if d.shell, err = newShell(ctx, p, defs); err != nil {
		p.close()
		return portHint(err)
	}
	d.Config, d.Workers = cfg, d.shell.names()
	d.Similarity, d.Distiller = cfg.similarity(), cfg.distiller(defs)
	d.HTTPURL = "http://" + d.shell.admin.listener.Addr().String()
	d.NATSURL = cfg.NATS.URL
	return d.launch(ctx)
}

// openDir locks the state folder and creates the keys in it.
func (d *Dev) openDir(ctx context.Context, cfg *Config, o DevOptions) (err error) {
	path := cfg.StateDir
	if o.Ephemeral {
		if path, err = temporaryDir(); err != nil {
			return err
		}
	}
	if path, err = stateDir(path); err != nil {
		return err
	}
	if d.dir, err = state.Open(ctx, path); err != nil {
		if o.Ephemeral {
			err = errors.Join(err, os.RemoveAll(path))
		}
		return WithCode(ExitDependency, err)
	}
	d.Dir, cfg.StateDir = path, path
	cfg.Vault.Dir = cmp.Or(cfg.Vault.Dir, filepath.Join(path, vaultFolder))
	return cfg.loadKeys(d.dir.File)
}

// loadKeys gives the settings the keys of a state folder that they do not name, made on
// first use. file returns the path of a file in it.
func (c *Config) loadKeys(file func(name string) (string, error)) error {
	for name, key := range map[string]*string{redactKeyFile: &c.Redact.Key, auditKeyFile: &c.Audit.Key} {
		if *key != "" {
			continue
		}
		path, err := file(name)
		if err != nil {
			return err
		}
		if *key, err = devstack.LoadOrCreateKey(path); err != nil {
			return err
		}
	}
	return nil
}

// stateDir returns the folder of winnow dev by the settings.
func stateDir(configured string) (string, error) {
	if configured != "" {
		return filepath.Abs(configured)
	}
	return state.DefaultDir()
}

// temporaryDir returns a new folder. Its path is short, because a socket's path may have
// 107 bytes at most, and it is open to the unprivileged user that root's PostgreSQL runs
// as.
func temporaryDir() (string, error) {
	path, err := os.MkdirTemp("", "winnow-dev-")
	if err == nil && os.Geteuid() == 0 {
		err = os.Chmod(path, 0o711)
	}
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	return path, nil
}

// startServers starts database and bus concurrently and writes their addresses into cfg.
func (d *Dev) startServers(ctx context.Context, cfg *Config, o DevOptions, log *zap.Logger, defs []worker.Definition) error {
	ownPostgres, ownNATS := cfg.Postgres.URL == "", cfg.NATS.URL == ""
	var pg PostgresConfig
	var nc NATSConfig
	group, starting := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		pg, err = d.startPostgres(starting, *cfg, o, log, defs)
		return err
	})
	group.Go(func() (err error) {
		nc, err = d.startNATS(starting, *cfg, o, log)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	cfg.Postgres, cfg.NATS = pg, nc
	d.OwnPostgres, d.OwnNATS = ownPostgres, ownNATS
	return d.provision(ctx, *cfg, log, defs)
}

// launch runs the workers in the background and waits until they are ready.
func (d *Dev) launch(ctx context.Context) error {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	ready := make(chan struct{})
	go func() {
		defer close(d.done)
		d.err = d.shell.run(running, func() error { close(ready); return nil })
	}()
	select {
	case <-ready:
	case <-d.done:
		return d.err
	case <-ctx.Done():
		return ctx.Err()
	}
	instance := state.Instance{PostgresURL: d.Config.Postgres.URL, NATSURL: d.NATSURL, HTTPURL: d.HTTPURL, VaultDir: d.Config.Vault.Dir}
	if d.server != nil {
		instance.NATSCredentials = d.dir.CredentialsFile()
	}
	return d.dir.Publish(instance)
}

// Wait returns an error when the installation ended by itself, or nil when ctx ended
// first.
func (d *Dev) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.done:
		return d.err
	}
}

// Stop drains the workers and ends the servers. It may be called twice.
func (d *Dev) Stop() error {
	d.release()
	return d.err
}

// release stops everything that was started, in the opposite order.
func (d *Dev) release() {
	if d.cancel != nil {
		d.cancel()
		<-d.done
	}
	if d.shell != nil {
		d.shell.close()
	}
	if d.server != nil {
		d.server.Shutdown()
	}
	if d.postgres != nil {
		stopping, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		d.err = errors.Join(d.err, d.postgres.Stop(stopping))
		d.postgres = nil
	}
	if d.dir != nil {
		d.err = errors.Join(d.err, d.dir.Close())
		if d.Ephemeral {
			d.err = errors.Join(d.err, os.RemoveAll(d.Dir))
		}
		d.dir = nil
	}
}

// DevData returns the folder of winnow dev and what a reset would move out of it.
func DevData(cfg Config) (dir string, parts []state.Part, err error) {
	dir, err = stateDir(cfg.StateDir)
	if err == nil {
		parts, err = state.Contents(dir)
	}
	return dir, parts, err
}

// ResetDev moves all data of winnow dev into a folder beside it, which it returns. It fails
// while one runs.
func ResetDev(ctx context.Context, cfg Config) (aside string, err error) {
	path, err := stateDir(cfg.StateDir)
	if err != nil {
		return "", err
	}
	aside, err = state.Reset(ctx, path, time.Now())
	if err != nil {
		return aside, WithCode(ExitDependency, err)
	}
	return aside, nil
}

// SpoolDir returns the folder of sessions that ended while no winnow dev ran. It is in the
// state folder, which is created when missing. A reset leaves it: Winnow has not stored
// its sessions yet.
func SpoolDir(cfg Config) (string, error) {
	path, err := stateDir(cfg.StateDir)
	if err == nil {
		err = state.Make(path)
	}
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(path, "spool"), nil
}

// UsualStateDir reports whether the settings name the default folder, which every command
// finds by itself.
func UsualStateDir(cfg Config) bool {
	usual, err := state.DefaultDir()
	return err == nil && (cfg.StateDir == "" || cfg.StateDir == usual)
}
