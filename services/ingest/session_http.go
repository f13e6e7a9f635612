package ingest

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// sessionReceipt is the answer to an accepted session.
type sessionReceipt struct {
	// EventID is the id of the publication, as sent or as generated here.
	EventID string `json:"event_id"`
	// SessionID is the id of the stored session, SessionName the publisher's own.
	SessionID   string `json:"session_id"`
	SessionName string `json:"session_name"`
	Principal   string `json:"principal"`
	Scope       string `json:"scope"`
	Format      string `json:"format"`
	// Duplicate says that the scope held the same session before.
	Duplicate bool `json:"duplicate"`
	// Turns is how many were stored, Skipped how many could not be read, and
	// Redactions how many secrets were replaced.
	Turns      int `json:"turns"`
	Skipped    int `json:"skipped"`
	Redactions int `json:"redactions"`
	// Outcome is success, failure or unknown.
	Outcome         string `json:"outcome"`
	OutcomeInferred bool   `json:"outcome_inferred"`
	// Note says what the stored session lacks, and what else its arrival
	// changed.
	Note string `json:"note,omitempty"`
}

// completed handles POST /api/sessions: a SessionCompleted as JSON or protobuf
// or as a CloudEvent, or the trace itself, streamed and described by the query.
// The answer is 202: the session is stored and will be distilled.
func (in *intake) completed(w http.ResponseWriter, r *http.Request) {
	got, err := in.acceptSession(r)
	if err != nil {
		in.refuse(w, "a session was not taken", err)
		return
	}
	in.accepted(w, got.Duplicate, got)
	in.deps.Log.Debug("session taken", zap.String(telemetry.KeyEvent, got.EventID), zap.String(telemetry.KeyPrincipal, got.Principal))
}

// acceptSession processes a request with a session: identify, parse, then the
// same steps as for a session over the bus.
func (in *intake) acceptSession(r *http.Request) (sessionReceipt, error) {
	ctx := r.Context()
	who := access.Caller(ctx)
	a, err := in.arrival(r, who)
	if err != nil {
		return sessionReceipt{}, err
	}
	done, err := in.sessions.ingest(ctx, a)
	if err != nil {
		return sessionReceipt{}, refusal(err)
	}
	if !done.duplicate {
		again, err := in.sessions.commit(ctx, a, &done)
		if err != nil {
			return sessionReceipt{}, err
		}
		if again {
			if done, err = in.before(r, who, done); err != nil {
				return sessionReceipt{}, err
			}
		}
		in.deps.Publisher.Wake()
	}
	s := done.session
	return sessionReceipt{
		EventID: a.eventID, SessionID: s.ID, SessionName: s.Name, Principal: who.ID, Scope: string(s.Scope), Format: s.Format,
		Duplicate: done.duplicate, Turns: s.Turns, Skipped: s.Skipped, Redactions: s.Redactions,
		Outcome: s.Outcome, OutcomeInferred: s.OutcomeInferred, Note: s.Note,
	}, nil
}

// before returns the session of an event that had its effect before.
func (in *intake) before(r *http.Request, who memory.Principal, done intakeResult) (intakeResult, error) {
	q := store.SessionQuery{Scope: done.session.Scope, Hash: done.session.Hash, Limit: 1}
	same, err := in.deps.Store.Sessions(r.Context(), who.Tenant, q)
	switch {
	case err != nil:
		return intakeResult{}, fmt.Errorf("look for the same session: %w", err)
	case len(same) == 0:
		return intakeResult{}, errReused
	}
	return intakeResult{session: same[0], duplicate: true}, nil
}

// arrival returns a request in the form in which the bus delivers a session.
func (in *intake) arrival(r *http.Request, who memory.Principal) (arrival, error) {
	a := arrival{who: who, claimed: who.ID, at: in.deps.Now().UTC(), msg: new(winnowv1.SessionCompleted), trace: r.Header.Get("traceparent")}
	if bare(r) {
		a.body = r.Body
		return a, in.described(r, &a)
	}
	env, err := in.read(r, who, event.SubjectSessionCompleted)
	if err != nil {
		return arrival{}, err
	}
	if err := event.UnmarshalKnown(env, a.msg); err != nil {
		return arrival{}, err
	}
	a.eventID, a.trace = env.ID, env.Traceparent
	if !env.Time.IsZero() {
		a.at = env.Time
	}
	return a, nil
}

// bare reports whether the body is a trace and no event: a query describes it, or its
// type is none that an event has.
func bare(r *http.Request) bool {
	if r.URL.RawQuery != "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return r.Header.Get("Content-Type") != ""
	case kind == event.ContentJSON, kind == event.ContentProtobuf, strings.HasPrefix(kind, "application/cloudevents"):
		return false
	}
	return r.Header.Get("Ce-Specversion") == ""
}

// described reads the description of a bare trace from the query and the
// header. An unknown parameter is refused, because ignoring it would change the
// meaning of the request.
func (in *intake) described(r *http.Request, a *arrival) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("%w: query: %w", event.ErrMalformed, err)
	}
	fields := map[string]*string{
		"scope": &a.msg.Scope, "format": &a.msg.Format, "outcome": &a.msg.Outcome,
		"session": &a.msg.SessionId, "project": &a.msg.Project, "task": &a.msg.Task,
	}
	for name, values := range query {
		field, ok := fields[name]
		if !ok {
			return &fieldError{Field: "query." + name, Remedy: "is not known; send scope, format, outcome, session, project or task"}
		}
		if *field = values[0]; strings.ContainsRune(*field, 0) || len(*field) > maxParameter {
			return &fieldError{Field: "query." + name, Remedy: fmt.Sprintf("send at most %d bytes without NUL", maxParameter)}
		}
	}
	if a.eventID = r.Header.Get(httpapi.IdempotencyKey); a.eventID == "" {
		a.eventID = in.deps.NewID(memory.PrefixEvent)
	}
	if slices.Contains(r.Header["Content-Encoding"], "gzip") {
		return &fieldError{Field: "Content-Encoding", Remedy: "send the trace uncompressed"}
	}
	return httpapi.CheckKey(a.eventID)
}

// maxParameter is the most bytes of one parameter.
const maxParameter = 1 << 10
