package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// readyPoll is the pause between two checks of the dependencies during the start.
const readyPoll = 100 * time.Millisecond

// Fleet runs the workers in this process until ctx ends and then drains them.
// It returns nil after an orderly end. The error has the exit code of SPEC §5.
func Fleet(ctx context.Context, cfg Config, log *zap.Logger, defs ...worker.Definition) error {
	if err := cfg.needs(); err != nil {
		return err
	}
	name := "fleet"
	if len(defs) == 1 {
		name = defs[0].Name
	}
	p, err := open(ctx, cfg, log, name, defs, nil)
	if err != nil {
		return err
	}
	defer p.close()
	s, err := newShell(ctx, p, defs)
	if err != nil {
		return err
	}
	return s.run(ctx, nil)
}

// shell is a process with its workers, as Fleet and StartDev run it.
type shell struct {
	*parts
	defs    []worker.Definition
	admin   *admin
	routes  *http.ServeMux // of the workers
	runners []named
}

type named struct {
	name string
	worker.Runner
}

// newShell returns a shell with its workers built. It listens already; no worker runs yet.
func newShell(ctx context.Context, p *parts, defs []worker.Definition) (*shell, error) {
	reached, err := crashHook(p.log)
	if err != nil {
		return nil, err
	}
	if p.similarity != nil && p.cfg.Qdrant.driver().Exposed() {
		p.log.Warn("qdrant.api_key crosses the network unencrypted; set qdrant.tls unless the network is private")
	}
	s := &shell{parts: p, defs: defs, routes: http.NewServeMux()}
	s.admin, err = newAdmin(ctx, p.cfg.HTTP.Addr, p, func(ctx context.Context) map[string]error { return p.ready(ctx, defs) })
	if err != nil {
		return nil, err
	}
	// All workers of a process share one address.
	s.admin.mux.Handle("/", httpapi.Problems(s.routes))
	for _, d := range defs {
		if err := s.build(d, p.deps(d, reached)); err != nil {
			_ = s.admin.listener.Close()
			return nil, fmt.Errorf("build %s: %w", d.Name, err)
		}
	}
	return s, nil
}

// build builds the runners of a definition, of any form.
func (s *shell) build(d worker.Definition, deps worker.Deps) error {
	if d.Routes != nil {
		if err := d.Routes(deps, s.routes); err != nil {
			return err
		}
	}
	r, err := worker.Build(d, deps, s.cfg.DrainTimeout)
	if err != nil {
		return err
	}
	s.runners = append(s.runners, named{d.Name, r})
	return nil
}

// run starts the workers once their dependencies are ready, calls ready, and returns when
// ctx ends or a worker fails.
func (s *shell) run(ctx context.Context, ready func() error) error {
	began := time.Now()
	// HTTP outlives the workers, so that probes see the drain.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	var all errgroup.Group
	all.Go(func() error { return s.admin.serve(serving) })

	err := s.awaitReady(ctx)
	if err == nil {
		err = s.work(ctx, ready)
	}
	stopServing()
	err = errors.Join(err, all.Wait())
	s.log.Info("stopped", zap.Duration(telemetry.KeyTook, time.Since(began)), zap.Error(err))
	return err
}

// work runs every worker and drains all when ctx ends or one of them fails.
func (s *shell) work(ctx context.Context, ready func() error) error {
	group, working := errgroup.WithContext(ctx)
	for _, r := range s.runners {
		group.Go(func() error {
			if err := r.Run(working); err != nil && !errors.Is(err, context.Canceled) {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			return nil
		})
	}
	group.Go(func() error {
		<-working.Done()
		s.admin.draining.Store(true)
		s.log.Info("draining", zap.Duration("within", s.cfg.DrainTimeout))
		return nil
	})
	s.admin.started.Store(true)
	s.log.Info("ready", zap.Strings("workers", s.names()))
	s.warnOfWideLogin(ctx)
	if ready != nil {
		group.Go(ready)
	}
	return group.Wait()
}

func (s *shell) names() []string {
	names := make([]string, 0, len(s.defs))
	for _, d := range s.defs {
		names = append(names, d.Name)
	}
	return names
}

// awaitReady waits until database, schema, bus and durables are available. A process may
// start before its database or before `winnow migrate`. After start_timeout the error
// names what is missing.
func (s *shell) awaitReady(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, s.cfg.StartTimeout)
	defer cancel()
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	told := false
	for {
		look, done := context.WithTimeout(waiting, readyTimeout)
		err := firstError(s.ready(look, s.defs))
		done()
		if err == nil {
			return nil
		}
		if !told && waiting.Err() == nil {
			s.log.Warn("waiting", zap.Error(err), zap.Duration("at_most", s.cfg.StartTimeout))
			told = true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // stopped while waiting, before any work began
		case <-waiting.Done():
			if errors.Is(err, store.ErrMigration) {
				return err
			}
			return WithCode(ExitDependency, fmt.Errorf("not ready after %s: %w", s.cfg.StartTimeout, err))
		}
	}
}

// inProcess connects without a socket.
type inProcess func(...nats.Option) (*nats.Conn, error)

// warnOfWideLogin says when a worker's login may do more than the worker needs.
func (s *shell) warnOfWideLogin(ctx context.Context) {
	if login, err := s.parts.store.Wider(ctx); err == nil && login != "" {
		s.log.Warn("the database login has the rights of all workers. Remedy: give this worker a login of its own in postgres.worker_urls, run winnow provision, and name it in postgres.url",
			zap.String("login", login))
	}
}
