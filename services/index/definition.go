package index

import (
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the projector.
var Definition = worker.Definition{
	Name:    "index",
	Summary: "keeps the similarity index and MEMORY.md in step with the store",
	Durable: durable,
	More:    []bus.Durable{points},
	Config:  []worker.Section{Layout},
	Needs:   worker.Needs{Vault: true, Index: true},
	Run:     newProjections,
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
