package jetstream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// reconnectWait is the pause between attempts to reach a server again; a
// restart of the server is over in less than a second.
const reconnectWait = 250 * time.Millisecond

// Config says how to reach the server.
type Config struct {
	// URL of the servers, separated by commas. Ignored with an in-process
	// server.
	URL string
	// Name is shown in the server's list of connections: the service's name.
	Name string
	// InboxPrefix must be what the user may subscribe to, such as
	// _INBOX_triage. Empty is the client's default, which a least-privilege
	// user may not use.
	InboxPrefix string
	// NKeySeedFile, CredentialsFile and CAFile authenticate; empty is without.
	NKeySeedFile    string
	CredentialsFile string
	CAFile          string
	// Server connects within the process, without a socket.
	Server nats.InProcessConnProvider
	// Extra options come last and win.
	Extra []nats.Option
}

// Connect returns a connection that heals by itself: it retries for ever, also
// when the server is not there yet, so that the order in which processes start
// does not matter. Close it when everything that uses it has ended.
func Connect(cfg Config, log *zap.Logger) (*nats.Conn, error) {
	opts, err := cfg.Options(log)
	if err != nil {
		return nil, fmt.Errorf("connect to the bus: %w", err)
	}
	nc, err := nats.Connect(cfg.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the bus: %w", err)
	}
	return nc, nil
}

// Options are what Connect connects with, for servers that make their own
// connections.
func (cfg Config) Options(log *zap.Logger) ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(cfg.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait/2),
		nats.RetryOnFailedConnect(true),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) { logAsync(log, sub, err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("bus disconnected", zap.Error(err))
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { log.Info("bus connected again", zap.String("server", nc.ConnectedServerName())) }),
	}
	if cfg.InboxPrefix != "" {
		opts = append(opts, nats.CustomInboxPrefix(cfg.InboxPrefix))
	}
	if cfg.NKeySeedFile != "" {
		o, err := nats.NkeyOptionFromSeed(cfg.NKeySeedFile)
		if err != nil {
			return nil, fmt.Errorf("read nkey seed: %w", err)
		}
		opts = append(opts, o)
	}
	if cfg.CredentialsFile != "" {
		opts = append(opts, nats.UserCredentials(cfg.CredentialsFile))
	}
	if cfg.CAFile != "" {
		opts = append(opts, nats.RootCAs(cfg.CAFile))
	}
	if cfg.Server != nil {
		opts = append(opts, nats.InProcessServer(cfg.Server))
	}
	return append(opts, cfg.Extra...), nil
}

// logAsync says in plain words what the server only tells asynchronously. A
// permission violation is the one that costs hours: the call itself just times
// out.
func logAsync(log *zap.Logger, sub *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) || strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
		log.Error("the bus refuses this user; the call in question times out. Remedy: grant the subject to the service's user", zap.Error(err))
		return
	}
	fields := []zap.Field{zap.Error(err)}
	if sub != nil {
		fields = append(fields, zap.String("subscription", sub.Subject))
	}
	log.Warn("bus error", fields...)
}
