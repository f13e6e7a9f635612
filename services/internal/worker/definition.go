package worker

import (
	"context"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Definition declares one worker: its name, the durables that it reads and how it
// is built. It is a value; package fleet lists all definitions. At most one of
// Handle and Work is set; Notices, Run and Routes may be set beside either or alone.
type Definition struct {
	Name    string // also the binary's suffix, the durable's name and the metrics' label
	Summary string // one line for the help

	// Config lists the worker's groups of settings, which its config.go declares;
	// nil means none.
	Config []Section
	// Needs names the ports that the worker uses in addition to those that every
	// worker has.
	Needs Needs

	// Durable is consumed by Handle or Work, or by the first notice when both are
	// nil. Provisioning creates it.
	Durable bus.Durable
	// More are the durables of further notices.
	More []bus.Durable

	// Handle builds a fast batch worker; the pipeline runs it.
	Handle func(Deps) (Handler, error)
	// Batch is the largest number of events that Handle decides together, 1 to 512.
	Batch int

	// Work builds a slow worker; the pipeline runs it.
	Work func(Deps) (Work, error)
	// Concurrency is the number of events that one process works on at once; nil
	// means 1.
	Concurrency func(Deps) int

	// Notices builds a worker that brings a projection, such as files or an index,
	// up to date after changes: many events, one effect for each topic, no inbox.
	// Every notice's durable is Durable or one of More.
	Notices func(Deps) ([]Notice, error)

	// Run builds a worker that is not driven by events alone, such as the relay or
	// a schedule.
	Run func(Deps) (Runner, error)

	// Retention returns how long the worker's settings keep rows; nil where it deletes
	// none. Provisioning writes it into the database, which refuses to delete sooner.
	Retention func(Configured) store.Retention

	// Routes adds the worker's HTTP endpoints, under /api/ or at /mcp. The workers
	// of a process share the mux.
	Routes func(Deps, *http.ServeMux) error
}

// Runner runs until ctx ends, then finishes the work in progress and returns nil.
// An error means that the runner cannot continue.
type Runner interface {
	Run(ctx context.Context) error
}

// Durables lists every durable of the worker.
func (d Definition) Durables() []bus.Durable {
	var all []bus.Durable
	if d.Durable.Name != "" {
		all = append(all, d.Durable)
	}
	return append(all, d.More...)
}
