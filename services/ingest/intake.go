package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/verdict"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// consumer is the intake's name in the inbox.
const consumer = "intake"

// intake serves the HTTP endpoints. Safe for concurrent use.
type intake struct {
	deps     worker.Deps
	sessions *sessions
	answered *prometheus.CounterVec
}

// receipt is the answer to an accepted proposal.
type receipt struct {
	// EventID is the id under which memory.proposal.decided will name the
	// verdict.
	EventID string `json:"event_id"`
	// Principal is the principal of the credential.
	Principal string `json:"principal"`
	// Duplicate says that the same request was accepted before.
	Duplicate bool `json:"duplicate"`
	// Verdict says what became of it, for a client that waits.
	Verdict *verdict.Verdict `json:"verdict,omitempty"`
}

// mostWait bounds how long a client may wait for a verdict.
const mostWait = 30 * time.Second

// proposals handles POST /api/proposals: a ProposalCreated as JSON or protobuf,
// or the same as a CloudEvent over HTTP in binary or structured mode. The
// answer is 202: the proposal is committed and will be decided. With ?wait=5s the
// answer has the verdict, if there is one by then.
func (in *intake) proposals(w http.ResponseWriter, r *http.Request) {
	got, err := in.accept(r)
	if err != nil {
		in.refuse(w, "a proposal was not taken", err)
		return
	}
	in.accepted(w, got.Duplicate, got)
	in.deps.Log.Debug("proposal taken", zap.String(telemetry.KeyEvent, got.EventID), zap.String(telemetry.KeyPrincipal, got.Principal))
}

// accepted answers a request that was accepted.
func (in *intake) accepted(w http.ResponseWriter, duplicate bool, receipt any) {
	result := "accepted"
	if duplicate {
		result = "duplicate"
	}
	in.answered.WithLabelValues(result).Inc()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	// The status is sent; the error of a disconnected client has no reader.
	_ = json.NewEncoder(w).Encode(receipt)
}

// refuse answers a request that was refused, and logs errors of the server.
func (in *intake) refuse(w http.ResponseWriter, what string, err error) {
	p, logged := asProblem(err)
	if logged {
		in.deps.Log.Warn(what, zap.Error(err))
	}
	in.answered.WithLabelValues(resultOf(p)).Inc()
	p.Write(w)
}

// accept processes a request: identify, parse, redact, decide, commit.
func (in *intake) accept(r *http.Request) (receipt, error) {
	ctx := r.Context()
	who := access.Caller(ctx)
	wait, err := waitOf(r)
	if err != nil {
		return receipt{}, err
	}
	env, err := in.read(r, who, event.SubjectProposalCreated)
	if err != nil {
		return receipt{}, err
	}
	msg := new(winnowv1.ProposalCreated)
	if err := event.UnmarshalKnown(env, msg); err != nil {
		return receipt{}, err
	}
	// A proposal that triage would refuse is refused here, where the publisher
	// gets the answer.
	if _, err := message.Proposal(in.deps.Redactor.Stream(string(who.Tenant)), msg); err != nil {
		return receipt{}, err
	}

	if !who.MayAct(memory.Scope(msg.GetScope())) {
		return receipt{}, who.Beyond("scope")
	}
	got := receipt{EventID: eventID(who, env.ID), Principal: who.ID}
	set, err := decide(who, got.EventID, msg)
	if err != nil {
		return receipt{}, err
	}
	set.Continue(env.Traceparent)
	key := store.InboxKey{Consumer: consumer, Key: env.ID + "/" + who.ID}
	got.Duplicate, err = in.deps.Store.Commit(ctx, who.Tenant, set, key)
	if err != nil {
		return receipt{}, fmt.Errorf("commit: %w", err)
	}
	in.deps.Publisher.Wake()
	if wait > 0 {
		became, err := verdict.Await(ctx, in.deps.Store, who, got.EventID, wait)
		if err != nil {
			return receipt{}, fmt.Errorf("await the verdict: %w", err)
		}
		got.Verdict = &became
	}
	return got, nil
}

// waitOf returns how long the client waits for the verdict, 0 for not at all.
func waitOf(r *http.Request) (time.Duration, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return 0, fmt.Errorf("%w: query: %w", event.ErrMalformed, err)
	}
	for name := range query {
		if name != "wait" {
			return 0, &fieldError{Field: "query." + name, Remedy: "is not known; send wait, or leave it out"}
		}
	}
	if !query.Has("wait") {
		return 0, nil
	}
	wait, err := time.ParseDuration(query.Get("wait"))
	if err != nil || wait < 0 || wait > mostWait {
		return 0, &fieldError{Field: "query.wait", Remedy: "send how long to wait, such as 5s; at most " + mostWait.String()}
	}
	return wait, nil
}

// read returns the request as an envelope, as if the principal had published it
// on the bare subject.
func (in *intake) read(r *http.Request, who memory.Principal, bare string) (event.Envelope, error) {
	// One byte over the limit distinguishes a full body from one that is too
	// large.
	body, err := io.ReadAll(io.LimitReader(r.Body, event.MaxPayload+1))
	if err != nil {
		return event.Envelope{}, fmt.Errorf("%w: read body: %w", event.ErrMalformed, err)
	}
	if len(body) > event.MaxPayload {
		return event.Envelope{}, event.ErrTooLarge
	}
	subject, err := event.SubjectFor(bare, who.ID)
	if err != nil {
		return event.Envelope{}, err
	}
	env, err := event.Parse(subject, eventHeader(r.Header), body, in.deps.NewID("evt_"))
	if err != nil {
		return event.Envelope{}, err
	}
	if key := r.Header.Get(httpapi.IdempotencyKey); key != "" {
		if err := in.same(r, who, key, body); err != nil {
			return event.Envelope{}, err
		}
		env.ID = key
	}
	env.ID = in.deps.Redactor.ID(env.ID)
	return env, nil
}

// eventHeader returns the part of a request's header that belongs to the event.
// A proxy's headers are not the publisher's.
func eventHeader(h http.Header) map[string][]string {
	out := make(map[string][]string)
	for name, values := range h {
		switch low := strings.ToLower(name); {
		case strings.HasPrefix(low, "ce-"), low == "content-type", low == "traceparent", low == "tracestate":
			out[low] = values
		}
	}
	return out
}

// same returns store.ErrReused when a key was sent before with another body. The same
// body is processed again, which has no further effect and answers as it stands now.
func (in *intake) same(r *http.Request, who memory.Principal, key string, body []byte) error {
	if err := httpapi.CheckKey(key); err != nil {
		return err
	}
	request := httpapi.RequestKeyOf(r, in.deps.Redactor.ID(key), body)
	_, _, err := in.deps.Store.BeginRequest(r.Context(), who.Tenant, request, in.deps.Now())
	if errors.Is(err, store.ErrInProgress) {
		return nil
	}
	return err
}
