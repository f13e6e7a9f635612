package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Vectors keeps what embedders made of memories, so that an index can be filled
// again without asking a model again, and what is known about models.
type Vectors interface {
	// PutVectors keeps vectors of one model by memory id. One that is there
	// stays: a memory's text never changes, and neither does a model's answer.
	// A memory that is gone is left out.
	PutVectors(ctx context.Context, tenant memory.Tenant, model string, vectors map[string][]float32) error
	// IndexRows pages through a tenant's memories, active and archived, in the
	// order of their ids, with the vector of the model where there is one.
	IndexRows(ctx context.Context, tenant memory.Tenant, q IndexQuery) ([]IndexRow, error)

	// PutCalibration keeps a calibration of a model; the latest is in force. One
	// that has its id already stays as it is.
	PutCalibration(ctx context.Context, tenant memory.Tenant, c Calibration) error
	// Calibration is the one in force for a model, or ErrNotFound.
	Calibration(ctx context.Context, tenant memory.Tenant, model string) (Calibration, error)
}

// IndexQuery selects memories for an index.
type IndexQuery struct {
	Model string   // whose vectors; empty for none
	IDs   []string // these alone; empty for all
	After string   // id; exclusive
	Limit int      // default 100, or all of IDs
	// Lacking leaves out the memories that have a vector of the model.
	Lacking bool
	// Changed selects what these scopes changed after these versions: a row
	// carries the version of its scope, and that grows under its lock, so
	// nothing is missed. With IDs it is ErrInvalid.
	Changed map[memory.Scope]int64
}

// IndexRow is a memory as an index sees it.
type IndexRow struct {
	memory.Memory
	// Session names the session that its proposal came from and who published
	// that; empty for none. It is a name to compare, not to show.
	Session   string
	Vector    []float32 // nil when there is none of the model
	UpdatedAt time.Time // when the memory last changed
}

// Calibration is where one model's similarity means what (D2): cosines, of which
// strictly greater ones count.
type Calibration struct {
	ID        string // such as cal-2026-11-21-static
	Model     string
	Duplicate float64
	Cluster   float64
	Loose     float64
	Source    string // what it was derived from, in words
	Report    []byte // JSON: how, with counts and intervals
	At        time.Time
}
