package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// arrival is a finished session as it was published, by bus or by HTTP.
type arrival struct {
	who     memory.Principal
	claimed string    // the principal that the subject names, as references do; may be empty
	eventID string    // with who, what makes the publication unique
	at      time.Time // of the event
	trace   string    // W3C trace context, empty without one
	msg     *winnowv1.SessionCompleted
	body    io.Reader // a trace that came beside the event; nil when the event carries it or refers to it
}

// normalise makes the claims of an event ready to be stored: the project in one
// spelling, no secret in any field, nothing that only a credential can say. It
// reports whether a tenant was claimed that is not the publisher's.
func (a *arrival) normalise(r *redact.Stream) (forged bool) {
	// Normalising a remote's address removes its credentials, which could
	// otherwise be taken for part of the name.
	if p := a.msg.GetProject(); strings.Contains(p, "://") || strings.Contains(p, "@") {
		if project, err := trace.ProjectOfRemote(p); err == nil {
			a.msg.Project = project
		}
	}
	forged = a.msg.GetTenant() != "" && a.msg.GetTenant() != string(a.who.Tenant)
	a.msg.Tenant = ""
	message.Redact(r, a.msg)
	return forged
}

// check returns the faults of an event that no trace can repair.
func (a *arrival) check() error {
	var errs []error
	if s := a.msg.GetScope(); s != "" {
		if _, err := memory.ParseScope(s); err != nil {
			errs = append(errs, &fieldError{Field: "scope", Remedy: err.Error()})
		}
	}
	if uri := a.msg.GetReference().GetUri(); a.msg.GetReference() != nil && a.body == nil {
		owner, _, err := event.ParseTraceURI(uri)
		switch {
		case err != nil:
			errs = append(errs, &fieldError{Field: "reference.uri", Remedy: err.Error()})
		case owner != a.claimed && owner != a.who.ID:
			errs = append(errs, &fieldError{Field: "reference.uri", Remedy: "it belongs to another principal; upload the trace under your own name"})
		}
	}
	return errors.Join(errs...)
}

// scopeOf returns the scope of a session: as its event says, otherwise the
// project that was worked on.
func scopeOf(msg *winnowv1.SessionCompleted, project string) (memory.Scope, error) {
	if msg.GetScope() != "" {
		return memory.ParseScope(msg.GetScope())
	}
	remedy := "send one, such as project:billing; neither the event nor the trace tells a project"
	if project != "" {
		scope, err := memory.ParseScope(string(memory.ScopeProject) + ":" + project)
		if err == nil {
			return scope, nil
		}
		remedy = fmt.Sprintf("send one, such as project:billing; the trace's project makes none: %s", err)
	}
	return "", &fieldError{Field: "scope", Remedy: remedy}
}

// projectOf returns the project that was worked on: of the event, else of its
// scope, else of the trace.
func projectOf(msg *winnowv1.SessionCompleted, ofTrace string) string {
	if p := msg.GetProject(); p != "" {
		return p
	}
	if s := memory.Scope(msg.GetScope()); s.Kind() == memory.ScopeProject {
		return s.ID()
	}
	return ofTrace
}
