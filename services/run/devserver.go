package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"go.uber.org/zap"

	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/devstack/state"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// devDatabase is the database of a private cluster. Every process logs in as its superuser;
// on each connection the store drops all rights but those of its roles, as in a fleet.
const devDatabase = "postgres"

// startPostgres starts a private cluster, or uses the configured one, and migrates and
// provisions it.
func (d *Dev) startPostgres(ctx context.Context, cfg Config, o DevOptions, log *zap.Logger, defs []worker.Definition) (PostgresConfig, error) {
	pg := cfg.Postgres
	if pg.URL == "" {
		// Outside the state folder, so that a reset or the end of an ephemeral
		// instance does not require another download.
		usual, err := state.DefaultDir()
		if err != nil {
			return pg, err
		}
		downloads := filepath.Join(filepath.Dir(usual), "postgresql")
		cluster, err := devpostgres.Start(ctx, devpostgres.Options{
			DataDir:     d.dir.Postgres(),
			Ephemeral:   o.Ephemeral,
			Download:    o.Download,
			DownloadDir: downloads,
			Notice:      o.Notice,
			Logger:      log.Named("postgres"),
		})
		if err != nil {
			return pg, WithCode(ExitDependency, err)
		}
		d.postgres = cluster
		pg.URL = cluster.URL(devDatabase)
		cfg.Postgres = pg
	}
	if err := postgres.Migrate(ctx, cfg.ownerURL()); err != nil {
		return pg, err
	}
	return pg, provisionStore(ctx, cfg, defs)
}

// startNATS starts an embedded server, or uses the configured one.
func (d *Dev) startNATS(ctx context.Context, cfg Config, o DevOptions, log *zap.Logger) (NATSConfig, error) {
	nc := cfg.NATS
	if nc.URL == "" {
		if err := d.startServer(ctx, o, log); err != nil {
			return nc, err
		}
		credentials, err := d.dir.Credentials()
		if err != nil {
			return nc, err
		}
		nc.URL, nc.User, nc.Password = d.server.URL(), credentials.User, credentials.Password
	}
	return nc, nil
}

// provision creates streams and durables, on a migrated database.
func (d *Dev) provision(ctx context.Context, cfg Config, log *zap.Logger, defs []worker.Definition) error {
	var connect inProcess
	if d.server != nil {
		connect = d.server.Connect
	}
	conn, err := dial(cfg.NATS, log, "provision", connect)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = provisionBus(ctx, conn, cfg, defs)
	return err
}

func (d *Dev) startServer(ctx context.Context, o DevOptions, log *zap.Logger) error {
	key, err := d.dir.Key()
	if err != nil {
		return err
	}
	credentials, err := d.dir.Credentials()
	if err != nil {
		return err
	}
	gateway, err := d.gatewayUser()
	if err != nil {
		return err
	}
	d.server, err = devnats.Start(ctx, devnats.Options{
		StoreDir:    d.dir.NATS(),
		Port:        o.NATSPort,
		Ephemeral:   o.Ephemeral,
		Key:         key,
		Credentials: credentials,
		Users:       []devnats.User{gateway},
		// The server warns of a password in memory, which is intended here.
		Logger: log.Named("nats").WithOptions(zap.IncreaseLevel(zap.ErrorLevel)),
	})
	if errors.Is(err, devnats.ErrPortTaken) {
		err = fmt.Errorf("%w\nanother port: winnow dev --nats-port=0; your own NATS: winnow dev --nats-url=nats://…", err)
	}
	if err != nil {
		return err
	}
	return d.writeGatewayURL(gateway)
}

// portHint adds the flag that helps to the error of an HTTP port in use.
func portHint(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return WithCode(ExitDependency, fmt.Errorf("%w\nanother port: winnow dev --port=0", err))
	}
	return err
}
