package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// sessions takes finished sessions in, the same over either door. Safe for
// concurrent use.
type sessions struct {
	deps    worker.Deps
	trust   trust.Config
	limits  trace.Limits
	words   *lexical.Analyzer
	metrics *metrics
}

func newSessions(deps worker.Deps) *sessions {
	return &sessions{
		deps: deps, trust: Trust.Of(deps), limits: Limits.Of(deps), words: lexical.NewAnalyzer(), metrics: newMetrics(deps.Metrics),
	}
}

// taken is a session that was read and decided on.
type taken struct {
	kept      *kept
	session   memory.Session
	set       change.Set
	duplicate bool // the scope holds the same already: the session is that one, the set is empty
}

// take reads an arrival and decides what comes of it: nothing is written. The
// whole way is here: who said what, redact, keep, look for the same, look for
// what was said before it came, decide.
func (s *sessions) take(ctx context.Context, a arrival) (taken, error) {
	got, err := s.read(ctx, a)
	if err != nil {
		result := resultRefused
		if permanent(err) == err {
			result = resultFailed
		}
		s.metrics.ended(result, "")
		return taken{}, err
	}
	done, err := s.settle(ctx, a, &got)
	switch {
	case err != nil:
		s.metrics.ended(resultFailed, got.session.Format)
	case done.duplicate:
		s.metrics.ended(resultDuplicate, got.session.Format)
	default:
		s.metrics.ended(resultIngested, got.session.Format)
		s.metrics.stored(&got)
	}
	return done, err
}

// read redacts and keeps the trace of an arrival.
func (s *sessions) read(ctx context.Context, a arrival) (kept, error) {
	secrets := s.deps.Redactor.Stream(string(a.who.Tenant))
	if a.normalise(secrets) {
		s.metrics.claims.WithLabelValues("tenant").Inc()
	}
	if err := a.check(); err != nil {
		return kept{}, err
	}
	body, err := s.open(ctx, a)
	if err != nil {
		return kept{}, err
	}
	if c, ok := body.(io.Closer); ok && a.body == nil {
		defer c.Close()
	}
	reader, err := format.OpenEvent(a.msg, body, trace.Options{
		Limits: s.limits, Rewrite: secrets.Text,
	})
	if err != nil {
		return kept{}, err
	}
	k, err := keep(reader, trust.Options{
		Config: s.trust, Highest: a.who.Highest, Similar: s.words.Alike(), Loose: lexical.PointLoose,
	})
	if err != nil {
		return kept{}, err
	}
	message.Redact(secrets, a.msg)
	return k, k.again(secrets)
}

// open is the trace that lies beside the event; nil when the event carries it.
func (s *sessions) open(ctx context.Context, a arrival) (io.Reader, error) {
	switch ref := a.msg.GetReference(); {
	case a.body != nil:
		return a.body, nil
	case ref == nil:
		return nil, nil
	case s.deps.Traces == nil:
		return nil, errNoTraces
	default:
		body, err := s.deps.Traces.OpenTrace(ctx, ref.GetUri())
		if err != nil {
			return nil, fmt.Errorf("open trace: %w", err)
		}
		return body, nil
	}
}

// settle looks at what the store knows and decides.
func (s *sessions) settle(ctx context.Context, a arrival, k *kept) (taken, error) {
	in := input{arrival: a, kept: k, now: s.deps.Now().UTC(), newID: s.deps.NewID}
	in.project = projectOf(a.msg, k.session.Project)
	var err error
	if in.scope, err = scopeOf(a.msg, in.project); err != nil {
		return taken{}, err
	}
	if err := s.known(ctx, a.who.Tenant, in.scope); err != nil {
		return taken{}, err
	}
	same, err := s.deps.Store.Sessions(ctx, a.who.Tenant, store.SessionQuery{Scope: in.scope, Hash: k.hash, Limit: 1})
	if err != nil {
		return taken{}, fmt.Errorf("look for the same session: %w", err)
	}
	if len(same) > 0 {
		return taken{kept: k, session: same[0], duplicate: true}, nil
	}
	if in.earlier, in.judged, err = s.earlier(ctx, a.who, cmp.Or(k.session.ID, a.eventID), k); err != nil {
		return taken{}, fmt.Errorf("look for what was recorded before: %w", err)
	}
	session, set := decideSession(in)
	for _, e := range in.earlier {
		s.metrics.rederived.Inc()
		s.deps.Log.Warn("a recorded text turned out to come from outside and goes back to review",
			zap.String(telemetry.KeyProposal, e.proposal.ID), zap.String(telemetry.KeyMemory, e.memory.ID),
			zap.String("session", session.ID), zap.Strings("served_in", e.sessions()))
	}
	return taken{kept: k, session: session, set: set}, nil
}

// known refuses a scope that nobody made, where events may not make any.
func (s *sessions) known(ctx context.Context, tenant memory.Tenant, scope memory.Scope) error {
	if !s.deps.RefuseUnknownScopes {
		return nil
	}
	versions, err := s.deps.Store.ScopeVersions(ctx, tenant, scope)
	if err != nil {
		return fmt.Errorf("look up scope: %w", err)
	}
	if _, ok := versions[scope]; !ok {
		return &fieldError{Field: "scope", Remedy: fmt.Sprintf("%s does not exist and events may not create it; create it, or turn scopes.auto_create on", scope)}
	}
	return nil
}

// commit writes what was decided, once for an event. It reports whether the
// event had its effect before. Of two sessions that came in at once and are the
// same, the second is decided anew.
func (s *sessions) commit(ctx context.Context, a arrival, done *taken) (again bool, err error) {
	const tries = 5
	key := store.InboxKey{Consumer: durable, Key: a.eventID + "/" + a.who.ID}
	for n := 0; ; n++ {
		again, err = s.deps.Store.Commit(ctx, a.who.Tenant, done.set, key)
		if !errors.Is(err, store.ErrConflict) || n == tries {
			break
		}
		if *done, err = s.settle(ctx, a, done.kept); err != nil {
			return false, err
		}
	}
	if err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return again, nil
}
