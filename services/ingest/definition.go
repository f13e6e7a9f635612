package ingest

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the intake.
var Definition = worker.Definition{
	Name:    "ingest",
	Summary: "takes proposals over HTTP, redacts them and passes them on",
	Routes:  routes,
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
	in := &intake{deps: deps, answered: answered}
	// A page in a browser of this machine must not be able to speak for its
	// user, who needs no key on loopback.
	sameOrigin := http.NewCrossOriginProtection()
	mux.Handle("POST /api/proposals", sameOrigin.Handler(http.HandlerFunc(in.proposals)))
	return nil
}
