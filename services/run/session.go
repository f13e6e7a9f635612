package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/devstack/state"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// ErrNoInstance means that no database is configured and no winnow dev runs.
var ErrNoInstance = errors.New("no winnow is running here and none is configured\nstart one: winnow dev\nor name one: WINNOW_POSTGRES_URL and WINNOW_NATS_URL")

// Session is a command's connection to a running installation: the ports that
// package ops works with, and a way to publish like any other service.
type Session struct {
	Store       store.Store
	DeadLetters bus.DeadLetters
	Redactor    *redact.Redactor
	Tenant      memory.Tenant
	Person      string // principal that decides
	Now         func() time.Time
	NewID       func(prefix string) string
	// Vault opens the tenant's vault; nil where none is configured.
	Vault func(memory.Tenant) (vault.Vault, error)
	// Recall searches Index, whose source is Truth.
	Recall *recall.Recall
	Index  vector.Backend
	Truth  *indexing.Truth
	// Meaning is the static table, independent of the settings, because an old
	// decision may have been made with it.
	Meaning embed.Embedder
	// Lag returns how many messages wait for a worker and how many it has not settled.
	Lag func(context.Context, worker.Definition) (waiting, inHand int, err error)

	Config Config // the settings in use, with the addresses that were found
	Dev    bool   // a winnow dev was found

	parts *parts
}

// commands requests the ports of commands, as a worker's definition does.
var commands = worker.Definition{Name: "cli", Needs: worker.Needs{Vault: true, Index: true, Recall: true}}

// Locate fills in the addresses of a running winnow dev when none are configured. found
// reports whether it did.
func Locate(cfg Config) (located Config, found bool, err error) {
	if cfg.Postgres.URL != "" {
		return cfg, false, nil
	}
	path, err := stateDir(cfg.StateDir)
	if err != nil {
		return cfg, false, err
	}
	instance, err := state.Find(path)
	if errors.Is(err, state.ErrNotRunning) {
		return cfg, false, ErrNoInstance
	}
	if err != nil {
		return cfg, false, err
	}
	credentials, err := instance.Credentials()
	if err != nil {
		return cfg, false, err
	}
	cfg.StateDir = path
	cfg.Postgres.URL = instance.PostgresURL
	cfg.NATS.URL, cfg.NATS.User, cfg.NATS.Password = instance.NATSURL, credentials.User, credentials.Password
	cfg.HTTP.Addr = instance.HTTPURL
	cfg.Vault.Dir = cmp.Or(cfg.Vault.Dir, instance.VaultDir)
	err = cfg.loadKeys(func(name string) (string, error) { return filepath.Join(path, "files", name), nil })
	return cfg, true, err
}

// Trusted returns the public keys whose signed heads count: those of the settings, or
// that of this machine's own key, or none.
func (c Config) Trusted() []string {
	keys := strings.Fields(c.Audit.PublicKeys)
	if key, err := signed.NewKey(c.Audit.Key); err == nil && len(keys) == 0 {
		keys = append(keys, key.Public())
	}
	return keys
}

// AuditKey returns the key that signs heads of the audit log, or an error that says how to
// give it.
func (c Config) AuditKey() (signed.Key, error) {
	if c.Audit.Key == "" {
		return signed.Key{}, WithCode(ExitConfig, errors.New("audit.key is not set; set WINNOW_AUDIT_KEY_FILE to the file with the key of winnow-relay"))
	}
	return signed.NewKey(c.Audit.Key)
}

// NotedHead is a signed head that a person noted.
func NotedHead(note string) signed.Found { return signed.Found{Place: "file", Note: note} }

// signedHeadsRead is how many stored heads verification reads.
const signedHeadsRead = 200

// SignedHeads gathers signed heads of the tenant's audit log from the database, the
// stream and the vault. A place that cannot be read is a note and no error.
func (s *Session) SignedHeads(ctx context.Context) (found []signed.Found, notes []string) {
	unread := func(place string, err error) {
		if err != nil {
			notes = append(notes, fmt.Sprintf("the %s was not asked for signed heads: %v", place, err))
		}
	}
	stored, err := s.Store.SignedHeads(ctx, s.Tenant, signedHeadsRead)
	unread("database", err)
	for _, n := range stored {
		found = append(found, signed.Found{Place: "database", Note: n})
	}
	note, err := s.parts.publisher.Last(ctx, bus.SubjectAuditHead+string(s.Tenant))
	unread("stream", err)
	if note != nil {
		found = append(found, signed.Found{Place: "stream", Note: string(note)})
	}
	inVault, err := s.vaultHeads()
	unread("vault", err)
	return append(found, inVault...), notes
}

// vaultHeads returns the signed head of each scope's newest rendering.
func (s *Session) vaultHeads() (found []signed.Found, err error) {
	if s.Vault == nil {
		return nil, nil
	}
	v, err := s.Vault(s.Tenant)
	if err != nil {
		return nil, err
	}
	scopes, err := v.Scopes()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, scope := range scopes {
		t, _, ok, err := v.Last(scope)
		if err != nil {
			return found, err
		}
		if ok && t.SignedHead != "" && !seen[t.SignedHead] {
			seen[t.SignedHead] = true
			found = append(found, signed.Found{Place: "vault", Note: t.SignedHead})
		}
	}
	return found, nil
}

// Open connects to the configured installation, or else to a running winnow dev; without
// either it returns ErrNoInstance. The caller closes the session.
func Open(ctx context.Context, cfg Config, log *zap.Logger) (*Session, error) {
	cfg, dev, err := Locate(cfg)
	if err != nil {
		return nil, err
	}
	p, err := open(ctx, cfg, log, commands.Name, []worker.Definition{commands}, nil)
	if err != nil {
		return nil, err
	}
	ports := p.ports(commands)
	s := &Session{
		Store: p.store, DeadLetters: p.deadLetters, Redactor: p.redactor,
		Tenant: memory.Tenant(cfg.Tenant), Person: cfg.Person, Now: time.Now, NewID: ident.New,
		Config: cfg, Dev: dev, Vault: ports.Vault, parts: p,
		Recall: ports.Recall, Index: ports.Index, Truth: ports.Truth, Meaning: static.New(),
	}
	s.Lag = s.lag
	look, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := p.store.Ready(look); err != nil {
		p.close()
		return nil, fmt.Errorf("open %s: %w", where(dev), err)
	}
	return s, nil
}

func where(dev bool) string {
	if dev {
		return "the running winnow dev"
	}
	return "the configured database"
}

func (s *Session) lag(ctx context.Context, d worker.Definition) (waiting, inHand int, err error) {
	source, err := jetstream.NewSource(s.parts.nc, d.Durable)
	if err != nil {
		return 0, 0, err
	}
	return source.Pending(ctx)
}

// DatabaseServer is what the database server says of itself and of this login.
type DatabaseServer = postgres.Server

// DatabaseServer asks the server.
func (s *Session) DatabaseServer(ctx context.Context) (DatabaseServer, error) {
	return s.parts.store.Server(ctx)
}

// InstalledPostgres returns the folder and the version of the PostgreSQL programs that a new
// winnow dev would start. The error names the remedies when there are none.
func InstalledPostgres(ctx context.Context) (dir string, major int, err error) {
	return devpostgres.Installed(ctx)
}

// Settled returns the sequence number up to which a worker has settled every event of its
// stream. Dead letters are settled; events that wait for a retry are not.
func (s *Session) Settled(ctx context.Context, d worker.Definition) (seq uint64, err error) {
	source, err := jetstream.NewSource(s.parts.nc, d.Durable)
	if err != nil {
		return 0, err
	}
	return source.Settled(ctx)
}

// Eraser connects as the user that may delete messages; the caller ends the connection by
// the returned function.
func (s *Session) Eraser() (bus.Eraser, func(), error) {
	cfg := s.Config.NATS
	if cfg.ForgetUser == "" {
		return jetstream.NewEraser(s.parts.nc), func() {}, nil
	}
	cfg.User, cfg.Password, cfg.InboxPrefix = cfg.ForgetUser, cfg.ForgetPassword, ""
	nc, err := dial(cfg, zap.NewNop(), UserForget, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("log in as nats.forget_user: %w", err)
	}
	return jetstream.NewEraser(nc), nc.Close, nil
}

// Close waits for open writes, and ends the connections.
func (s *Session) Close() { s.parts.close() }
