package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/api/rest"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/workflow/operate"
)

// Limits of one request.
const (
	// maxBody allows the longest content with its JSON escapes.
	maxBody = 256 << 10 // bytes
	// callWithin bounds a call, even when its client waits longer.
	callWithin = 30 * time.Second
	// contractVersion is the version of the HTTP contract. Additions do not change it.
	contractVersion = "1"
)

// Definition is the worker's definition.
var Definition = worker.Definition{
	Name:    "api",
	Summary: "serves memory to agents: MCP at /mcp, and HTTP at /api",
	Config:  []worker.Section{layout, learning, searches, consolidation, summary, questions, toolsets},
	Needs:   worker.Needs{Recall: true, Index: true},
	Routes:  routes,
}

// api answers agents. Its fields do not change while it serves. An api is safe
// for concurrent use.
type api struct {
	worker.Deps
	layout        memoryfile.Config
	learning      confidence.Config
	searches      searchConfig
	consolidation trigger.Config
	summary       summaryConfig
	workflows     *operate.Workflows
	calls         *prometheus.HistogramVec
}

func routes(deps worker.Deps, mux *http.ServeMux) error {
	_, err := serve(deps, mux)
	return err
}

// Contract returns the OpenAPI document of the HTTP API, as every server serves it.
func Contract() ([]byte, error) {
	contract, err := serve(worker.Deps{}, http.NewServeMux())
	if err != nil {
		return nil, err
	}
	return contract.Contract(), nil
}

// newAPI creates an api. With no dependencies it lists what it offers and answers nothing.
func newAPI(deps worker.Deps) *api {
	a := &api{Deps: deps, layout: layout.Of(deps), learning: learning.Of(deps), searches: searches.Of(deps), consolidation: consolidation.Of(deps), summary: summary.Of(deps), calls: telemetry.Registered(deps.Metrics, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "winnow_api_call_duration_seconds",
		Help:    "Calls of agents, by tool or endpoint and how they ended.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 14), // 1 ms … 8 s
	}, []string{"call", "result"}))}
	a.workflows = &operate.Workflows{
		Store: deps.Store, Now: deps.Now, NewID: deps.NewID,
		Redact: func(tenant memory.Tenant, text string) string { return deps.Redactor.Stream(string(tenant)).Text(text) },
	}
	return a
}

// Catalogue returns a handler of MCP that greets a client and lists tools, resources and
// prompts, for the bridge while no server runs. It must not be sent a call.
func Catalogue() (http.Handler, error) { return newAPI(worker.Deps{}).endpoint() }

// serve adds the endpoints to mux and returns their contract.
func serve(deps worker.Deps, mux *http.ServeMux) (*httpapi.API, error) {
	a := newAPI(deps)
	endpoint, err := a.endpoint()
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	door := doorOf(deps)
	mux.Handle("/mcp", door.Guard("mcp", endpoint))
	contract := httpapi.New(door, mux, contractVersion)
	contract.Translate = a.problem
	if err := a.operations(contract); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	archive, err := rest.ProtoArchive()
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	mux.Handle("GET /api/proto.tar.gz", archive)
	rest.Operations(contract, deps, rest.Options{Digest: questions.Of(deps), Consolidation: a.consolidation, Sees: a.sees, From: a.from})
	return contract, contract.Serve()
}

// doorOf returns what decides who may send a request.
func doorOf(deps worker.Deps) *httpapi.Door {
	return &httpapi.Door{Directory: deps.Store, Requests: deps.Store, DefaultPrincipal: deps.DefaultPrincipal, Tokens: deps.Tokens, ID: deps.Redactor.ID, Log: deps.Log, Now: deps.Now}
}
