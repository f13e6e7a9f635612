package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/guard/token"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// parts holds the drivers of one process. It opens them in one place and closes them in
// the opposite order.
type parts struct {
	cfg         Config
	log         *zap.Logger
	registry    *prometheus.Registry
	store       *postgres.Store
	nc          *nats.Conn
	publisher   *jetstream.Publisher
	deadLetters *jetstream.DeadLetters
	redactor    *redact.Redactor
	conditions  worker.Conditions
	admission   worker.Admission
	forget      context.CancelFunc // ends what fetches the keys of tokens; nil: nothing does
	optional
}

// open returns the drivers of a process. Neither the database nor the bus has to answer
// yet: processes may start in any order. It opens only the ports that the workers request.
// connect makes the bus connection; nil dials the configured servers.
func open(ctx context.Context, cfg Config, log *zap.Logger, name string, defs []worker.Definition, connect inProcess) (*parts, error) {
	p := &parts{cfg: cfg, log: log, registry: telemetry.NewRegistry(telemetry.ReadBuild())}
	if err := p.open(ctx, name, defs, connect); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *parts) open(ctx context.Context, name string, defs []worker.Definition, connect inProcess) (err error) {
	if p.redactor, err = newRedactor(p.cfg.Redact, p.log); err != nil {
		return err
	}
	if err := p.admit(ctx); err != nil {
		return err
	}
	only := "" // the worker of a process that has one
	if len(defs) == 1 {
		only = defs[0].Name
	}
	p.store, err = postgres.Open(ctx, postgres.Config{
		Worker: only,
		Recent: postgres.Recent,
		URL:    p.cfg.Postgres.URL, RelayURL: p.cfg.Postgres.RelayURL, OperatorURL: p.cfg.Postgres.OperatorURL, MaxConns: p.cfg.Postgres.MaxConns,
	})
	if err != nil {
		return err
	}
	if err = p.openPorts(ctx, defs); err != nil {
		return err
	}
	if p.nc, err = dial(p.cfg.NATS, p.log, name, connect); err != nil {
		return err
	}
	if p.publisher, err = jetstream.NewPublisher(p.nc, p.log.Named("bus")); err != nil {
		return err
	}
	p.deadLetters, err = jetstream.NewDeadLetters(p.nc)
	return err
}

// dial connects to the bus by the settings.
func dial(cfg NATSConfig, log *zap.Logger, name string, connect func(...nats.Option) (*nats.Conn, error)) (*nats.Conn, error) {
	jc := jetstream.Config{
		URL: cfg.URL, Name: "winnow-" + name, InboxPrefix: cfg.InboxPrefix,
		NKeySeedFile: cfg.NKeySeedFile, CredentialsFile: cfg.CredentialsFile, CAFile: cfg.CAFile,
	}
	if cfg.User != "" {
		jc.Extra = append(jc.Extra, nats.UserInfo(cfg.User, cfg.Password))
		if jc.InboxPrefix == "" {
			jc.InboxPrefix = jetstream.InboxPrefix(cfg.User)
		}
	}
	if connect == nil {
		return jetstream.Connect(jc, log.Named("bus"))
	}
	opts, err := jc.Options(log.Named("bus"))
	if err != nil {
		return nil, err
	}
	return connect(opts...)
}

// newRedactor compiles the rules. Without a key it makes one for this process: the key does
// not decide what is a secret, only how equal secrets are recognised.
func newRedactor(cfg RedactConfig, log *zap.Logger) (*redact.Redactor, error) {
	key := []byte(cfg.Key)
	if len(key) == 0 {
		log.Warn("redact.key is not set: a secret gets another tag in each process")
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
	}
	return redact.New(redact.Config{PII: cfg.PII, Key: key})
}

// admit says who is let in. Keys of tokens are fetched until close.
func (p *parts) admit(ctx context.Context) error {
	p.admission = worker.Admission{DefaultPrincipal: p.cfg.DefaultPrincipal, RefuseUnknownScopes: !p.cfg.Scopes.AutoCreate}
	ctx, p.forget = context.WithCancel(context.WithoutCancel(ctx))
	tokens, err := token.Open(ctx, p.cfg.JWT, func(err error) { p.log.Warn("the keys of jwt.issuer are not known", zap.Error(err)) })
	if tokens != nil {
		p.admission.Tokens = tokens
	}
	return err
}

func (p *parts) close() {
	if p.forget != nil {
		p.forget()
	}
	if p.nc != nil {
		p.nc.Close()
	}
	p.optional.close()
	if p.store != nil {
		p.store.Close()
	}
}

// deps returns the ports from which a worker is built.
func (p *parts) deps(d worker.Definition, reached func(worker.Point)) worker.Deps {
	return worker.Deps{
		Store: p.store,
		Bus: worker.Bus{
			Publisher: p.publisher, DeadLetters: p.deadLetters,
			Source: func(d bus.Durable) (bus.Source, error) { return jetstream.NewSource(p.nc, d) },
		},
		Redactor:   p.redactor,
		Log:        p.log.Named(d.Name),
		Metrics:    p.registry,
		Conditions: &p.conditions,
		Now:        time.Now,
		NewID:      ident.New,
		Admission:  p.admission,
		Settings:   p.cfg.Workers,
		Ports:      p.ports(d),
		Reached:    reached,
	}
}

// ready returns the result of each dependency's check, with errors for a person.
func (p *parts) ready(ctx context.Context, defs []worker.Definition) map[string]error {
	checks := map[string]error{"postgres": p.store.Ready(ctx)}
	if p.nc.Status() != nats.CONNECTED {
		checks["nats"] = fmt.Errorf("%w: %s", bus.ErrUnavailable, p.nc.Status())
		return checks
	}
	checks["nats"] = nil
	for _, d := range defs {
		for _, durable := range d.Durables() {
			checks["durable "+durable.Name] = p.consumerExists(ctx, durable)
		}
	}
	return checks
}

func (p *parts) consumerExists(ctx context.Context, d bus.Durable) error {
	source, err := jetstream.NewSource(p.nc, d)
	if err != nil {
		return err
	}
	_, _, err = source.Pending(ctx)
	return err
}

// NewLogger returns the logger of a process, which writes to stderr.
func NewLogger(cfg Config) (*zap.Logger, error) {
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return telemetry.NewLogger(cfg.Log, os.Stderr, terminal, terminal && os.Getenv("NO_COLOR") == "")
}

// firstError returns the first failed check, by name.
func firstError(checks map[string]error) error {
	var all []error
	for name, err := range checks {
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(all...)
}
