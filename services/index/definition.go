package index

import (
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the worker that keeps two projections, each a notice of its own: a
// vault that cannot be written does not hold up searches, nor the other way round.
var Definition = worker.Definition{
	Name:    "index",
	Summary: "keeps the similarity index and MEMORY.md in step with the store",
	Durable: durable,
	More:    []bus.Durable{points},
	Config:  []worker.Section{Layout},
	Needs:   worker.Needs{Vault: true, Index: true},
	Notices: notices,
	Run:     newCalibrator,
}

// durable tells that a scope changed. An event is settled when what it asks for
// is rendered, or noted to be: a start compares everything with the store.
var durable = bus.Durable{
	Stream:     bus.StreamMemory,
	Name:       "vault",
	Filters:    []string{event.SubjectMemoryRecorded, event.SubjectMemoryArchived},
	AckWait:    60 * time.Second,
	MaxPending: 4096,
	// Rendering again is harmless, so it never gives up.
	MaxDeliver: -1,
}

// Points of a round at which a test stops the process.
const (
	// PointReadBack is after a hand edit has taken effect.
	PointReadBack worker.Point = "vault-read-back"
	// PointCommitted is after a scope has been committed to the vault.
	PointCommitted worker.Point = "vault-committed"
)

// notices is [worker.Definition.Notices].
func notices(deps worker.Deps) ([]worker.Notice, error) {
	return noticesAt(deps, pace{look: lookEvery, retry: retryAfter, compare: compareEvery}), nil
}

// noticesAt is notices with another pace of the similarity index.
func noticesAt(deps worker.Deps, at pace) []worker.Notice {
	var all []worker.Notice
	if deps.Vault == nil {
		deps.Log.Warn("vault.dir is not set: no MEMORY.md is written")
	} else {
		all = append(all, worker.Notice{Durable: durable, Batch: batch, Projection: newProjector(deps)})
	}
	if deps.Index != nil {
		all = append(all, worker.Notice{Durable: points, Batch: batch, Projection: newIndexer(deps, at)})
	}
	return all
}
