package jetstream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// reconnectWait is the pause between attempts to reconnect. A restart of the server
// takes less than a second.
const reconnectWait = 250 * time.Millisecond

// Config says how to reach the server.
type Config struct {
	// URL of the servers, separated by commas. Ignored with an in-process
	// server.
	URL string
	// Name is shown in the server's list of connections: the service's name.
	Name string
	// InboxPrefix is a prefix that the user may subscribe to, such as _INBOX_triage.
	// Empty is the client's default, which a least-privilege user may not use.
	InboxPrefix string
	// NKeySeedFile, CredentialsFile and CAFile authenticate; each may be empty.
	NKeySeedFile    string
	CredentialsFile string
	CAFile          string
	// Server connects within the process, without a socket.
	Server nats.InProcessConnProvider
	// Extra options are applied last and override the others.
	Extra []nats.Option
}

// Connect returns a connection that reconnects without limit, also when the server has
// not started yet, so that processes may start in any order. The caller closes it after
// its last use.
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

// Options returns the options that Connect uses, for servers that open their own
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

// logAsync logs an error that the server reports asynchronously. It explains a
// permission violation, because the call itself only times out.
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
