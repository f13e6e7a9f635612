package worker

import (
	"context"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Definition is one worker: a name, what it listens to and how it is built.
// It is a value; package fleet lists them all. Exactly one of Handle and Run
// is set; Routes may be set beside either or alone.
type Definition struct {
	Name    string // also the binary's suffix, the durable's name and the metrics' label
	Summary string // one line for the help

	// Durable is what Handle consumes; provisioning creates it.
	Durable bus.Durable
	// Batch is the most events decided together, 1 to 512.
	Batch int
	// Handle builds the worker's handler; the pipeline runs it.
	Handle func(Deps) (Handler, error)

	// Run builds a worker that is not driven by events, such as the relay.
	Run func(Deps) (Runner, error)

	// Routes adds the worker's HTTP endpoints under /api/.
	Routes func(Deps, *http.ServeMux) error
}

// Runner works until ctx ends, then finishes what is in hand and returns nil.
// An error means that it cannot go on.
type Runner interface {
	Run(ctx context.Context) error
}
