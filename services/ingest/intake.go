package ingest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// consumer is the intake's name in the inbox.
const consumer = "intake"

// idempotencyKey is the header that makes a repeated request have no further
// effect. It takes precedence over the event's own id.
const idempotencyKey = "Idempotency-Key"

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
}

// proposals handles POST /api/proposals: a ProposalCreated as JSON or protobuf,
// or the same as a CloudEvent over HTTP in binary or structured mode. The
// answer is 202: the proposal is committed and will be decided.
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
	p := asProblem(err)
	if p.Status >= http.StatusInternalServerError {
		in.deps.Log.Warn(what, zap.Error(err))
	}
	in.answered.WithLabelValues(p.result()).Inc()
	p.write(w)
}

// accept processes a request: identify, parse, redact, decide, commit.
func (in *intake) accept(r *http.Request) (receipt, error) {
	ctx := r.Context()
	who, err := access.Principal(r, in.deps.Store, in.deps.DefaultPrincipal)
	if err != nil {
		return receipt{}, err
	}
	env, err := in.read(r, who, event.SubjectProposalCreated)
	if err != nil {
		return receipt{}, err
	}
	msg := new(winnowv1.ProposalCreated)
	if err := event.Unmarshal(env, msg); err != nil {
		return receipt{}, err
	}
	// A proposal that triage would refuse is refused here, where the publisher
	// gets the answer.
	if _, err := message.Proposal(in.deps.Redactor.Stream(string(who.Tenant)), msg); err != nil {
		return receipt{}, err
	}

	got := receipt{EventID: eventID(who, env.ID), Principal: who.ID}
	set, err := decide(who, got.EventID, msg)
	if err != nil {
		return receipt{}, err
	}
	key := store.InboxKey{Consumer: consumer, Key: env.ID + "/" + who.ID}
	got.Duplicate, err = in.deps.Store.Commit(ctx, who.Tenant, set, key)
	if err != nil {
		return receipt{}, fmt.Errorf("commit: %w", err)
	}
	in.deps.Publisher.Wake()
	return got, nil
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
	if key := r.Header.Get(idempotencyKey); key != "" {
		if err := checkKey(key); err != nil {
			return event.Envelope{}, err
		}
		env.ID = key
	}
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

func checkKey(key string) error {
	if len(key) <= event.MaxID && strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return nil
	}
	return &fieldError{Field: idempotencyKey, Remedy: fmt.Sprintf("send at most %d printable ASCII characters", event.MaxID)}
}
