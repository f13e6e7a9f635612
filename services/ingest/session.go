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

// sessions ingests finished sessions, with the same steps for bus and HTTP.
// Safe for concurrent use.
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

// intakeResult is a session that was read and decided on.
type intakeResult struct {
	prepared  *prepared
	session   memory.Session
	set       change.Set
	duplicate bool // the scope holds the same already: session is that one, and set is empty
}

// ingest reads an arrival and decides its effect; nothing is written. The
// steps: assign origins, redact, prepare the transcript, look for the same
// session, look for texts recorded before the arrival, decide.
func (s *sessions) ingest(ctx context.Context, a arrival) (intakeResult, error) {
	got, err := s.read(ctx, a)
	if err != nil {
		result := resultRefused
		if permanent(err) == err { //nolint:errorlint // permanent wraps what is not permanent yet: the same value means that it was
			result = resultFailed
		}
		s.metrics.ended(result, "")
		return intakeResult{}, err
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

// read redacts and prepares the trace of an arrival.
func (s *sessions) read(ctx context.Context, a arrival) (prepared, error) {
	secrets := s.deps.Redactor.Stream(string(a.who.Tenant))
	if a.normalise(secrets) {
		s.metrics.claims.WithLabelValues("tenant").Inc()
	}
	if err := a.check(); err != nil {
		return prepared{}, err
	}
	body, err := s.open(ctx, a)
	if err != nil {
		return prepared{}, err
	}
	if c, ok := body.(io.Closer); ok && a.body == nil {
		defer c.Close()
	}
	reader, err := format.OpenEvent(a.msg, body, trace.Options{
		Limits: s.limits, Rewrite: secrets.Text,
	})
	if err != nil {
		return prepared{}, err
	}
	prep, err := prepare(reader, trust.Options{
		Config: s.trust, Highest: a.who.Highest, Similar: s.words.Alike(), Loose: lexical.PointLoose,
	})
	if err != nil {
		return prepared{}, err
	}
	message.Redact(secrets, a.msg)
	return prep, prep.again(secrets)
}

// open returns the trace that lies beside the event; nil when the event carries
// it.
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

// settle reads the related rows of the store and decides.
func (s *sessions) settle(ctx context.Context, a arrival, prep *prepared) (intakeResult, error) {
	in := input{arrival: a, prepared: prep, now: s.deps.Now().UTC(), newID: s.deps.NewID}
	in.project = projectOf(a.msg, prep.session.Project)
	var err error
	if in.scope, err = scopeOf(a.msg, in.project); err != nil {
		return intakeResult{}, err
	}
	if !a.who.MayAct(in.scope) {
		return intakeResult{}, a.who.Beyond("scope")
	}
	if err := s.known(ctx, a.who.Tenant, in.scope); err != nil {
		return intakeResult{}, err
	}
	same, err := s.deps.Store.Sessions(ctx, a.who.Tenant, store.SessionQuery{Scope: in.scope, Hash: prep.hash, Limit: 1})
	if err != nil {
		return intakeResult{}, fmt.Errorf("look for the same session: %w", err)
	}
	if len(same) > 0 {
		return intakeResult{prepared: prep, session: same[0], duplicate: true}, nil
	}
	if in.earlier, in.judged, err = s.earlier(ctx, a.who, cmp.Or(prep.session.ID, a.eventID), prep); err != nil {
		return intakeResult{}, fmt.Errorf("look for what was recorded before: %w", err)
	}
	session, set := decideSession(in)
	for _, e := range in.earlier {
		s.metrics.rederived.Inc()
		s.deps.Log.Warn("a recorded text turned out to come from outside and goes back to review",
			zap.String(telemetry.KeyProposal, e.proposal.ID), zap.String(telemetry.KeyMemory, e.memory.ID),
			zap.String("session", session.ID), zap.Strings("served_in", e.sessions()))
	}
	return intakeResult{prepared: prep, session: session, set: set}, nil
}

// known refuses a scope that does not exist, where events may not create
// scopes.
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

// commit writes what was decided, once for an event. again reports whether the
// event had its effect before. Of two equal sessions that arrive at once, the
// second is decided again.
func (s *sessions) commit(ctx context.Context, a arrival, done *intakeResult) (again bool, err error) {
	const tries = 5
	key := store.InboxKey{Consumer: durable, Key: a.eventID + "/" + a.who.ID}
	for n := 0; ; n++ {
		done.set.Continue(a.trace)
		again, err = s.deps.Store.Commit(ctx, a.who.Tenant, done.set, key)
		if !errors.Is(err, store.ErrConflict) || n == tries {
			break
		}
		if *done, err = s.settle(ctx, a, done.prepared); err != nil {
			return false, err
		}
	}
	if err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return again, nil
}
