package operate

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	workerindex "github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/ops/index"
	"github.com/winnowhq/winnow/services/ops/vault"
	"github.com/winnowhq/winnow/services/run"
)

// Bounds of what is usual.
const (
	oldestPostgres = 14
	// mostSkew is how far clocks may be apart before times in the store mislead.
	mostSkew = 5 * time.Second
	// An outbox row normally waits for milliseconds, and an event for seconds.
	longWait   = time.Minute
	manyWait   = 10_000
	busWithin  = 3 * time.Second
	expireSoon = 14 * 24 * time.Hour
	mostShown  = 3 // logins, keys or scopes that a finding names
)

// examineInstallation looks at the servers, the workers and what they hold.
func examineInstallation(ctx context.Context, cfg run.Config, x *examination) {
	located, dev, err := run.Locate(cfg)
	if err != nil {
		x.failed("installation", "winnow dev", err)
		return
	}
	bus := examineBus(ctx, located, x)
	s, err := command.OpenSession(ctx, located)
	if err != nil {
		fix := "start PostgreSQL, or correct WINNOW_POSTGRES_URL: winnow config print"
		switch run.ExitCode(err) {
		case run.ExitMigrations:
			fix = "winnow migrate"
		case run.ExitConfig:
			fix = "winnow config check"
		}
		x.failed("postgres", fix, err)
		return
	}
	defer s.Close()
	s.Dev = dev
	examinePostgres(ctx, s, x)
	if bus {
		examineWorkers(ctx, s, x)
		examineStatus(ctx, s, x)
	}
	examineProcess(ctx, s, x)
	examineIndex(ctx, s, x)
	examineVault(ctx, s, x)
	examineKeys(ctx, s, x)
}

// examineBus reports whether the bus answers.
func examineBus(ctx context.Context, cfg run.Config, x *examination) bool {
	ctx, cancel := context.WithTimeout(ctx, busWithin)
	defer cancel()
	b, err := run.OpenBus(ctx, cfg)
	if err != nil {
		x.failed("nats", "start NATS, or correct WINNOW_NATS_URL and its user: winnow config print", fmt.Errorf("%s: %w", withoutPassword(cfg.NATS.URL), err))
		return false
	}
	b.Close()
	x.ok("nats", "%s answers", withoutPassword(cfg.NATS.URL))
	return true
}

func examinePostgres(ctx context.Context, s *command.Session, x *examination) {
	before := time.Now()
	server, err := s.DatabaseServer(ctx)
	if err != nil {
		x.failed("postgres", "winnow psql", err)
		return
	}
	if server.Major < oldestPostgres {
		x.problem(run.ExitDependency, "postgres", "upgrade it, then winnow migrate", "PostgreSQL %s is older than %d", server.Version, oldestPostgres)
	} else {
		x.ok("postgres", "PostgreSQL %s, schema as this version needs it", server.Version)
	}
	// Between the question and the answer lies the true moment.
	skew := max(before.Sub(server.Now), time.Until(server.Now), 0)
	if skew > mostSkew {
		x.problem(run.ExitFailure, "clock", "timedatectl set-ntp true     # on the machine that is wrong", "this machine and PostgreSQL differ by %s: schedules and expiries follow the wrong one", skew.Round(time.Second))
	} else {
		x.ok("clock", "agrees with PostgreSQL's")
	}
	if len(server.Shared) > 0 && !s.Dev {
		x.note("logins", "set postgres.worker_urls, then winnow provision, and give each worker its own postgres.url",
			"%s may all that any worker may (winnow_app)", some(server.Shared))
	}
}

// examineWorkers looks at each worker's durable: there at all, and not far behind.
func examineWorkers(ctx context.Context, s *command.Session, x *examination) {
	for _, d := range fleet.All {
		if d.Durable.Name == "" {
			continue
		}
		waiting, inHand, err := s.Lag(ctx, d)
		check := "worker " + d.Name
		switch {
		case err != nil:
			x.failed(check, "winnow provision", err)
		case waiting >= manyWait:
			x.note(check, "run more of them: winnow-"+d.Name, "%d events wait", waiting)
		default:
			x.ok(check, "%d wait, %d in hand", waiting, inHand)
		}
	}
}

// examineProcess asks the process whose address is known: winnow dev, or the one of this
// container.
func examineProcess(ctx context.Context, s *command.Session, x *examination) {
	if !s.Dev {
		return
	}
	checks, build, err := run.Readiness(ctx, s.Config.HTTP.Addr)
	if err != nil {
		x.failed("server", "winnow dev", fmt.Errorf("%s does not answer: %w", s.Config.HTTP.Addr, err))
		return
	}
	failing := false
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		if said := checks[name]; said != "ok" && !strings.HasPrefix(name, "model") {
			failing = true
			x.problem(run.ExitDependency, "server", "curl -s '"+s.Config.HTTP.Addr+"/readyz?verbose'", "%s: %s", name, said)
		}
	}
	own, _, _ := strings.Cut(run.Version(), " ")
	switch {
	case build != "" && build != own:
		x.problem(run.ExitFailure, "server", "end it (Ctrl-C), then winnow dev", "runs version %s, this command is %s", build, own)
	case !failing:
		x.ok("server", "%s is ready", s.Config.HTTP.Addr)
	}
}

func examineIndex(ctx context.Context, s *command.Session, x *examination) {
	state, err := index.Status(ctx, s.Ops)
	switch {
	case err != nil:
		x.failed("index", "winnow index status", err)
	case state.Problem != "":
		x.problem(run.ExitDependency, "index", state.Remedy, "%s", state.Problem)
	case state.Behind > longWait:
		x.note("index", "winnow index reconcile", "lacks rows of the last %s", state.Behind.Round(time.Second))
	default:
		x.ok("index", "%d documents of %s", state.Documents, state.Model)
	}
	if state.Points == nil && err == nil {
		x.note("index", "winnow calibrate", "%s is not calibrated: nothing is merged by similarity", state.Embedder)
	}
}

func examineVault(ctx context.Context, s *command.Session, x *examination) {
	if s.Vault == nil {
		x.note("vault", "set vault.dir for the index worker and here", "no folder is set, so no MEMORY.md is written or read here")
		return
	}
	v, err := s.Vault(s.Tenant)
	var scopes []vault.Scope
	if err == nil {
		layout := workerindex.Layout.In(s.Config.Workers)
		scopes, err = vault.New(s.Store, v, s.Tenant, layout.Sections, layout.Vault.Lines, s.Now).Status(ctx)
	}
	if err != nil {
		x.failed("vault", "winnow vault status", err)
		return
	}
	for _, scope := range scopes {
		if scope.Problem != "" {
			x.problem(run.ExitFailure, "vault", "winnow vault rebuild", "%s: %s", scope.Scope, scope.Problem)
		}
	}
	x.ok("vault", "%s", command.Plural(len(scopes), "scope"))
}

// examineStatus looks at what waits and what failed, as winnow status shows it.
func examineStatus(ctx context.Context, s *command.Session, x *examination) {
	status, err := s.Ops.Status(ctx)
	if err != nil {
		x.failed("status", "winnow status", err)
		return
	}
	if status.OutboxAge > longWait {
		x.problem(run.ExitDependency, "outbox", "start winnow-relay", "%d events wait to be published, the oldest for %s: no relay publishes them", status.Outbox, status.OutboxAge.Round(time.Second))
	} else {
		x.ok("outbox", "%d wait", status.Outbox)
	}
	if status.DeadLetters > 0 {
		x.note("dead letters", "winnow dlq list", "%s could not be handled", command.Plural(status.DeadLetters, "event"))
	} else {
		x.ok("dead letters", "none")
	}
}

// examineKeys looks at API keys that end, and at secrets that processes should share.
func examineKeys(ctx context.Context, s *command.Session, x *examination) {
	keys, err := s.Ops.Keys(ctx, "")
	if err != nil {
		x.failed("keys", "winnow key list", err)
		return
	}
	var ending []string
	now := s.Now()
	for _, k := range keys {
		if k.State(now) == "active" && !k.ExpiresAt.IsZero() && k.ExpiresAt.Before(now.Add(expireSoon)) {
			ending = append(ending, k.ID+" of "+k.Principal)
		}
	}
	if len(ending) > 0 {
		x.note("keys", "winnow key add PRINCIPAL, then winnow key revoke ID", "%s end within 14 days", some(ending))
	} else {
		x.ok("keys", "%d, none ends within 14 days", len(keys))
	}
	if s.Config.Redact.Key == "" {
		x.note("redact.key", "set WINNOW_REDACT_KEY to one secret for all processes: openssl rand -hex 32",
			"is not set: equal secrets get another tag in each process")
	}
}

// withoutPassword returns addresses, separated by commas, with their passwords masked.
func withoutPassword(addresses string) string {
	list := strings.Split(addresses, ",")
	for i, address := range list {
		if u, err := url.Parse(strings.TrimSpace(address)); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// some joins the first of some names.
func some(names []string) string {
	if len(names) > mostShown {
		return strings.Join(names[:mostShown], ", ") + fmt.Sprintf(" and %d more", len(names)-mostShown)
	}
	return strings.Join(names, ", ")
}
