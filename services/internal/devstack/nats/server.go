package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus/account"
)

// pollTimeout bounds one check whether the server is ready.
const pollTimeout = 10 * time.Millisecond

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	opts   Options
	server *server.Server
}

// Start starts a server and returns once it accepts connections and JetStream has recovered
// its streams. ctx bounds the start only.
//
// Errors: ErrPortTaken, ErrWrongKey, ErrUnprotected, or the server's fatal message.
func Start(ctx context.Context, opts Options) (*Server, error) {
	began := time.Now()
	if opts.Logger == nil {
		opts.Logger = zap.NewNop()
	}
	if opts.Host == "" {
		opts.Host = "127.0.0.1"
	}
	if err := prepare(ctx, opts); err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	so := serverOptions(opts)
	if !opts.Credentials.IsZero() {
		if err := configureAccounts(so, opts); err != nil {
			return nil, fmt.Errorf("start nats: %w", err)
		}
	}
	ns, err := server.NewServer(so)
	if err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	log := newServerLog(opts.Logger)
	ns.SetLoggerV2(log, false, false, false)
	go ns.Start()

	s := &Server{opts: opts, server: ns}
	for !ns.ReadyForConnections(pollTimeout) {
		select {
		case reason := <-log.fatal:
			s.Shutdown()
			return nil, fmt.Errorf("start nats: %s", reason)
		case <-ctx.Done():
			s.Shutdown()
			return nil, fmt.Errorf("start nats: %w", ctx.Err())
		default:
		}
	}
	opts.Logger.Info("nats started", zap.String("url", s.URL()), zap.Duration("took", time.Since(began)))
	return s, nil
}

// prepare returns an error for options with which the server would start and then fail, or
// would only log the problem.
func prepare(ctx context.Context, opts Options) error {
	if opts.StoreDir == "" {
		return errors.New("no store folder given")
	}
	if opts.Credentials.IsZero() && (len(opts.Users) > 0 || !opts.Ephemeral && !opts.DontListen) {
		return ErrUnprotected
	}
	if err := os.MkdirAll(opts.StoreDir, 0o700); err != nil {
		return fmt.Errorf("make store folder: %w", err)
	}
	if err := checkKey(opts.StoreDir, opts.Key); err != nil {
		return err
	}
	if opts.DontListen || opts.Port == 0 {
		return nil
	}
	return checkPort(ctx, opts.Host, opts.Port)
}

// checkPort returns ErrPortTaken before the start when the port is in use. The server would
// only log and retry, and Start would not return.
func checkPort(ctx context.Context, host string, port int) error {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: %s; free it, or choose another", ErrPortTaken, address)
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	return listener.Close()
}

func serverOptions(opts Options) *server.Options {
	port := opts.Port
	if port == 0 {
		port = server.RANDOM_PORT
	}
	so := &server.Options{
		ServerName: "winnow",
		Host:       opts.Host,
		Port:       port,
		DontListen: opts.DontListen,
		MaxPayload: opts.MaxPayload,
		JetStream:  true,
		StoreDir:   opts.StoreDir,
		SyncAlways: !opts.Ephemeral,
		// In seconds. The default of 2 is too short for a client on a busy machine.
		AuthTimeout: 30,
		// This process handles the signals itself.
		NoSigs:                 true,
		DisableJetStreamBanner: true,
	}
	if opts.Key != "" {
		so.JetStreamKey, so.JetStreamCipher = opts.Key, server.ChaCha
	}
	if opts.Credentials.IsZero() {
		return so
	}
	so.NoAuthUser = GuestUser
	return so
}

// configureAccounts adds the users to the server's options. Each has a separate account;
// the owner's has JetStream. A fleet's server reads the same configuration text. Streams
// stay in the global account, because their encryption key is derived from its name.
func configureAccounts(so *server.Options, opts Options) error {
	all := []string{">"}
	users := []account.User{{
		Name: opts.Credentials.User, Password: account.Quote(opts.Credentials.Password), Admin: true, Publish: all, Subscribe: all,
	}}
	// The guest's password is random and unused: clients without credentials become guest.
	for _, u := range append([]User{guest(rand.Text())}, opts.Users...) {
		users = append(users, account.User{Name: u.Name, Password: account.Quote(u.Password), Publish: u.Publish, Subscribe: u.Subscribe})
	}
	if err := so.ProcessConfigString(account.Write("jetstream: enabled", users)); err != nil {
		return err
	}
	for _, a := range so.Accounts {
		if a.Name == account.Owner {
			a.Name = server.DEFAULT_GLOBAL_ACCOUNT
		}
	}
	return nil
}

// URL returns the address for clients outside this process, without a password. It is empty
// when the server does not listen.
func (s *Server) URL() string {
	if s.opts.DontListen {
		return ""
	}
	return s.server.ClientURL()
}

// Connect opens a connection within this process, without a socket. It logs in with the
// server's credentials and reconnects without limit. opts are applied last.
func (s *Server) Connect(opts ...natsgo.Option) (*natsgo.Conn, error) {
	all := append([]natsgo.Option{natsgo.InProcessServer(s.server), natsgo.MaxReconnects(-1)}, s.opts.Credentials.Options()...)
	conn, err := natsgo.Connect("", append(all, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to embedded nats: %w", err)
	}
	return conn, nil
}

// Shutdown stops the server and returns when its files are closed. Drain and close
// clients first: their unsent messages are lost. Shutdown may be called twice.
func (s *Server) Shutdown() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
