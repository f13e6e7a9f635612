package worker

import (
	"context"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Definition is one worker: a name, what it listens to and how it is built.
// It is a value; package fleet lists them all. At most one of Handle and Work
// is set; Notices, Run and Routes may be set beside either or alone.
type Definition struct {
	Name    string // also the binary's suffix, the durable's name and the metrics' label
	Summary string // one line for the help

	// Config lists the worker's groups of settings, which stand in its config.go;
	// nil has none.
	Config []Section
	// Needs are the ports that the worker uses beside those that all have.
	Needs Needs

	// Durable is what Handle or Work consumes, or the first notice when there is
	// neither; provisioning creates it.
	Durable bus.Durable
	// More are the durables of further notices.
	More []bus.Durable

	// Handle builds a fast batch worker; the pipeline runs it.
	Handle func(Deps) (Handler, error)
	// Batch is the most events that Handle decides together, 1 to 512.
	Batch int

	// Work builds a slow worker; the pipeline runs it.
	Work func(Deps) (Work, error)
	// Hands is how many events one process works on at once; nil means 1.
	Hands func(Deps) int

	// Notices builds a worker that is told of changes and brings something up to
	// date, such as files or an index: many events, one effect for each topic, no
	// inbox. Every notice's durable is Durable or one of More.
	Notices func(Deps) ([]Notice, error)

	// Run builds what is not driven by events alone, such as the relay or a
	// schedule.
	Run func(Deps) (Runner, error)

	// Routes adds the worker's HTTP endpoints, under /api/ or at /mcp. The workers
	// of a process share the mux.
	Routes func(Deps, *http.ServeMux) error
}

// Runner works until ctx ends, then finishes what is in hand and returns nil.
// An error means that it cannot go on.
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
