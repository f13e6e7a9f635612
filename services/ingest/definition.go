package ingest

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// durable names the worker's consumer in the stream and in the inbox. A session
// that arrives by bus and by HTTP under one event id has one effect.
const durable = "ingest"

// Definition is the intake's worker definition.
var Definition = worker.Definition{
	Name:    "ingest",
	Summary: "takes finished sessions in: redacts, binds origins, stores; and proposals over HTTP",
	Durable: bus.Durable{
		Stream:     bus.StreamSessions,
		Name:       durable,
		Filters:    []string{event.SubjectSessionCompleted, event.SubjectSessionCompleted + ".>"},
		AckWait:    60 * time.Second,
		MaxPending: 256,
		MaxDeliver: 20,
	},
	Config:      []worker.Section{Trust, Limits},
	Needs:       worker.Needs{Traces: true},
	Work:        newWork,
	Concurrency: concurrency,
	Routes:      routes,
}

func routes(deps worker.Deps, mux *http.ServeMux) error {
	answered := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "winnow_intake_requests_total",
		Help: "Requests of the HTTP intake, by what became of them.",
	}, []string{"result"})
	if deps.Metrics != nil {
		if err := deps.Metrics.Register(answered); err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
	}
	door := &httpapi.Door{
		Directory: deps.Store, Requests: deps.Store, DefaultPrincipal: deps.DefaultPrincipal, Tokens: deps.Tokens, ID: deps.Redactor.ID, Log: deps.Log, Now: deps.Now,
	}
	in := &intake{deps: deps, sessions: newSessions(deps), answered: answered}
	mux.Handle("POST /api/proposals", door.Guard("create-proposal", http.HandlerFunc(in.proposals)))
	mux.Handle("POST /api/sessions", door.Guard("create-session", http.HandlerFunc(in.completed)))
	return nil
}
