package run

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Migration is one step of the schema; AppliedAt is zero while it is pending.
type Migration struct {
	Version   int64     `json:"version"`
	Name      string    `json:"name"`
	AppliedAt time.Time `json:"applied_at,omitzero"`
}

// Migrate brings the schema to this binary's version.
func Migrate(ctx context.Context, cfg Config) error {
	return postgres.Migrate(ctx, cfg.ownerURL())
}

// MigrateDown reverts migrations until the schema is at version. It destroys the data in
// their tables.
func MigrateDown(ctx context.Context, cfg Config, version int64) error {
	return postgres.MigrateDown(ctx, cfg.ownerURL(), version)
}

// MigrationStatus lists every migration in order.
func MigrationStatus(ctx context.Context, cfg Config) ([]Migration, error) {
	steps, err := postgres.MigrationStatus(ctx, cfg.ownerURL())
	list := make([]Migration, 0, len(steps))
	for _, s := range steps {
		list = append(list, Migration(s))
	}
	return list, err
}

// Provision creates missing tenant, first principals, streams and durables, and returns its
// changes to the bus, one line each. The database must be migrated.
func Provision(ctx context.Context, cfg Config, log *zap.Logger, defs ...worker.Definition) ([]string, error) {
	if err := provisionStore(ctx, cfg, defs); err != nil {
		return nil, err
	}
	nc, err := dial(cfg.NATS, log, "provision", nil)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	return provisionBus(ctx, nc, cfg, defs)
}

func provisionStore(ctx context.Context, cfg Config, defs []worker.Definition) error {
	o := postgres.DevOptions()
	for _, d := range defs {
		if d.Retention != nil {
			keep := d.Retention(cfg.Workers)
			o.Retention = &keep
		}
	}
	o.Tenants = []memory.Tenant{memory.Tenant(cfg.Tenant)}
	o.Logins = nil
	if cfg.Postgres.OwnerURL != "" {
		logins, err := logins(cfg.Postgres)
		if err != nil {
			return err
		}
		o.Logins = logins
	}
	for i := range o.Principals {
		o.Principals[i].Tenant = memory.Tenant(cfg.Tenant)
	}
	if err := postgres.Provision(ctx, cfg.ownerURL(), o); err != nil {
		return fmt.Errorf("provision database: %w", err)
	}
	return nil
}

// logins returns the logins of the settings. Provisioning by an owner grants them their
// roles, so that the workers can use the database.
func logins(cfg PostgresConfig) ([]postgres.Login, error) {
	app, err := pgconn.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("postgres.url: %w", err)
	}
	list := []postgres.Login{{Name: app.User, Password: app.Password, App: true, Relay: cfg.RelayURL == ""}}
	for _, l := range []struct {
		key, url string
		login    postgres.Login
	}{
		{"relay_url", cfg.RelayURL, postgres.Login{Relay: true}},
		{"operator_url", cfg.OperatorURL, postgres.Login{Operator: true}},
	} {
		if l.url == "" {
			continue
		}
		at, err := pgconn.ParseConfig(l.url)
		if err != nil {
			return nil, fmt.Errorf("postgres.%s: %w", l.key, err)
		}
		l.login.Name, l.login.Password = at.User, at.Password
		list = append(list, l.login)
	}
	workers, err := workerLogins(cfg.WorkerURLs)
	return append(list, workers...), err
}

// workerLogins parses postgres.worker_urls. Its errors name no URL, which has a password.
func workerLogins(urls string) ([]postgres.Login, error) {
	var list []postgres.Login
	for i, entry := range strings.Fields(urls) {
		who, url, found := strings.Cut(entry, "=")
		at, err := pgconn.ParseConfig(url)
		if !found || err != nil || at.User == "" {
			return nil, WithCode(ExitUsage, fmt.Errorf("postgres.worker_urls: entry %d: write WORKER=postgres://login@host/database, or WORKER@TENANT=…", i+1))
		}
		l := postgres.Login{Name: at.User, Password: at.Password}
		var tenant string
		if l.Worker, tenant, found = strings.Cut(who, "@"); found {
			l.Tenants = []memory.Tenant{memory.Tenant(tenant)}
		}
		list = append(list, l)
	}
	return list, nil
}

// provisionBus needs the database, where gateways are registered.
func provisionBus(ctx context.Context, nc *nats.Conn, cfg Config, defs []worker.Definition) ([]string, error) {
	outside, err := gateways(ctx, cfg)
	if err != nil {
		return nil, err
	}
	t := jetstream.Topology{Replicas: cfg.NATS.Replicas, Durables: append(durables(defs), outside...)}
	changes, err := jetstream.Provision(ctx, nc, t)
	said := make([]string, 0, len(changes))
	for _, c := range changes {
		said = append(said, c.String())
	}
	if err != nil {
		return said, fmt.Errorf("provision bus: %w", err)
	}
	return said, nil
}

func durables(defs []worker.Definition) []bus.Durable {
	var all []bus.Durable
	for _, d := range defs {
		all = append(all, d.Durables()...)
	}
	return all
}

// gateways returns the durables of all principals that are registered as gateways.
func gateways(ctx context.Context, cfg Config) ([]bus.Durable, error) {
	registered, err := postgres.Gateways(ctx, cfg.ownerURL())
	if err != nil {
		return nil, fmt.Errorf("list gateways: %w", err)
	}
	var all []bus.Durable
	for _, p := range registered {
		all = append(all, jetstream.Gateway(p))
	}
	return all, nil
}

// ProvisionGateways makes the durables of gateways agree with the registered gateways and
// changes nothing else. It needs the rights of winnow provision.
func ProvisionGateways(ctx context.Context, cfg Config, log *zap.Logger) error {
	durables, err := gateways(ctx, cfg)
	if err != nil {
		return err
	}
	nc, err := dial(cfg.NATS, log, "provision", nil)
	if err != nil {
		return err
	}
	defer nc.Close()
	_, err = jetstream.ProvisionGateways(ctx, nc, durables)
	return err
}

// Principal is an identity that may publish or decide, with the hash of its key.
type Principal struct {
	ID      string
	Highest string // highest origin that it may claim
	Name    string
	Service bool
	KeyHash []byte // SHA-256; empty leaves the stored one unchanged
	// SpeaksFor lists the reviewers whose answers it may deliver, * for all; nil
	// leaves the stored list unchanged.
	SpeaksFor []string
	// EventsJSON has a gateway read events as JSON; without SpeaksFor the stored choice
	// is unchanged.
	EventsJSON bool
	// Scopes bind it to projects, teams or organisations; nil leaves the stored list
	// unchanged.
	Scopes []string
}

// RegisterPrincipal adds or updates a principal of the configured tenant. A name that holds
// a secret is refused, and not repeated in the error.
func RegisterPrincipal(ctx context.Context, cfg Config, p Principal) error {
	highest, err := memory.ParseOrigin(p.Highest)
	if err != nil {
		return WithCode(ExitUsage, err)
	}
	redactor, err := newRedactor(cfg.Redact, zap.NewNop())
	if err != nil {
		return err
	}
	for _, name := range slices.Concat([]string{p.ID, p.Name}, p.SpeaksFor) {
		if redactor.ID(name) != name {
			return WithCode(ExitUsage, errors.New("a name "+redact.SecretName))
		}
	}
	var bound []memory.Scope
	for _, name := range p.Scopes {
		s, err := memory.ParseScope(name)
		if err != nil || s.Kind() == memory.ScopeUser {
			return WithCode(ExitUsage, fmt.Errorf("scope %q: name projects, teams or organisations, such as team:web", name))
		}
		bound = append(bound, s)
	}
	row := postgres.Registered{KeyHash: p.KeyHash, Principal: memory.Principal{
		ID: p.ID, Tenant: memory.Tenant(cfg.Tenant), Highest: highest, Name: p.Name, Service: p.Service, SpeaksFor: p.SpeaksFor, EventsJSON: p.EventsJSON, Scopes: bound,
	}}
	return postgres.Provision(ctx, cfg.ownerURL(), postgres.Options{
		Tenants: []memory.Tenant{row.Tenant}, Principals: []postgres.Registered{row},
	})
}

// AddTenant adds a tenant, and nothing when there is one of the name. It needs the
// rights of winnow provision.
func AddTenant(ctx context.Context, cfg Config, name string) error {
	if !tenantName.MatchString(name) {
		return WithCode(ExitUsage, fmt.Errorf("tenant %q: use 1 to 64 of A-Z a-z 0-9 . - _, beginning with a letter or a digit", name))
	}
	return postgres.Provision(ctx, cfg.ownerURL(), postgres.Options{Tenants: []memory.Tenant{memory.Tenant(name)}})
}

// tenantName leaves out names with an underscore at the front, which are the system's.
var tenantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
