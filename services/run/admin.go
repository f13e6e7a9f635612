package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// readyTimeout bounds one check of the dependencies, so that a probe never waits for one
// that hangs.
const readyTimeout = 2 * time.Second

// A client that sends its body slower than this, or keeps an unused connection open for
// longer, makes room for others. The largest session takes seconds on a slow line.
const (
	readTimeout = 2 * time.Minute
	idleTimeout = 2 * time.Minute
)

// admin serves health, metrics and profiles, and the routes of workers.
type admin struct {
	mux        *http.ServeMux
	server     *http.Server
	requests   *requests
	listener   net.Listener
	checks     func(context.Context) map[string]error
	conditions *worker.Conditions       // what workers report of themselves
	models     map[string]*watchedModel // by worker; a process whose model does not answer is ready and reports it
	draining   atomic.Bool
	started    atomic.Bool // workers run
}

// newAdmin returns the server, which listens already: a port in use is an error of the
// start, and probes are answered while the process waits for its database.
func newAdmin(ctx context.Context, addr string, p *parts, checks func(context.Context) map[string]error) (*admin, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, WithCode(ExitDependency, fmt.Errorf("serve http: %w; another --http-addr helps when the port is taken", err))
	}
	a := &admin{mux: http.NewServeMux(), listener: listener, checks: checks, conditions: &p.conditions, models: p.models, requests: newRequests()}
	a.server = newServer(a.requests.count(unhurried(a.mux)), p.log.Named("http"))
	a.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	a.mux.HandleFunc("GET /startupz", a.serveStartup)
	a.mux.HandleFunc("GET /readyz", a.serveReady)
	a.mux.Handle("GET /metrics", promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{}))
	for path, h := range map[string]http.HandlerFunc{
		"/debug/pprof/": pprof.Index, "/debug/pprof/cmdline": pprof.Cmdline, "/debug/pprof/profile": pprof.Profile,
		"/debug/pprof/symbol": pprof.Symbol, "/debug/pprof/trace": pprof.Trace,
	} {
		a.mux.Handle(path, loopbackOnly(h))
	}
	p.log.Info("http listens", zap.Stringer(telemetry.KeyAddr, listener.Addr()))
	return a, nil
}

// newServer returns a server that no client holds for long without sending.
func newServer(h http.Handler, log *zap.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          zap.NewStdLog(log),
	}
}

// serve answers requests until the context ends. It returns when the last handler has
// returned, because what handlers use is closed next.
func (a *admin) serve(ctx context.Context) error {
	serving := make(chan error, 1)
	go func() { serving <- a.server.Serve(a.listener) }()
	select {
	case err := <-serving:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	return a.requests.end(ctx, a.server)
}

func (a *admin) serveStartup(w http.ResponseWriter, _ *http.Request) {
	if !a.started.Load() {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// serveReady answers 200 when this process can handle events. With ?verbose the answer
// has the result of each check.
func (a *admin) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	checks := a.checks(ctx)
	maps.Copy(checks, a.conditions.All())
	if a.draining.Load() {
		checks["drain"] = errors.New("this process is stopping")
	}
	if !a.started.Load() {
		checks["workers"] = errors.New("not started yet")
	}
	status := http.StatusOK
	said := map[string]string{}
	for name, err := range checks {
		said[name] = "ok"
		if err != nil {
			said[name], status = err.Error(), http.StatusServiceUnavailable
		}
	}
	for worker, m := range a.models {
		name := "model"
		if len(a.models) > 1 {
			name += " of " + worker
		}
		said[name] = m.state()
	}
	w.WriteHeader(status)
	if !r.URL.Query().Has("verbose") {
		fmt.Fprintln(w, http.StatusText(status))
		return
	}
	if r.Header.Get("Accept") == "application/json" {
		_ = json.NewEncoder(w).Encode(said)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		fmt.Fprintf(w, "%s: %s\n", name, said[name])
	}
}

// loopbackOnly restricts a handler to programs of this machine: profiles show the
// process's memory, to a proxy's clients and to pages in a browser as well.
func loopbackOnly(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !access.Local(r) {
			http.Error(w, "profiles are served to programs of this machine only", http.StatusForbidden)
			return
		}
		next(w, r)
	})
}

// unhurried lifts the deadline of reading from requests without a body, which answers
// to GET are: an event stream stays open for as long as its client listens.
func unhurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			// A connection that cannot lift it keeps it.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		next.ServeHTTP(w, r)
	})
}
