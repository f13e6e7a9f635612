package index

import (
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the worker of two projections, the vault and the similarity index. Each
// is a notice of its own, so that a failure of one does not delay the other.
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

// durable delivers the changes of scopes to the vault. An event is settled when its scope
// is rendered or scheduled for it: after a restart everything is compared with the store.
var durable = bus.Durable{
	Stream:     bus.StreamMemory,
	Name:       "vault",
	Filters:    []string{event.SubjectMemoryRecorded, event.SubjectMemoryArchived},
	AckWait:    60 * time.Second,
	MaxPending: 4096,
	// Rendering again is harmless, so an event is retried without limit.
	MaxDeliver: -1,
}

// Points of a round at which a test stops the process.
const (
	// PointReadBack is reached after a hand edit has taken effect.
	PointReadBack worker.Point = "vault-read-back"
	// PointCommitted is reached after a scope has been committed to the vault.
	PointCommitted worker.Point = "vault-committed"
)

// notices is [worker.Definition.Notices].
func notices(deps worker.Deps) ([]worker.Notice, error) {
	return noticesAt(deps, pace{look: generationsInterval, retry: retryAfter, compare: compareInterval}), nil
}

// noticesAt returns the notices with the given intervals of the similarity index.
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
