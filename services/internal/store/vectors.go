package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Vectors stores the embeddings of memories, so that an index can be rebuilt
// without another call to a model, and the calibrations of models.
type Vectors interface {
	// PutVectors stores vectors of one model by memory id. A stored vector is
	// not replaced: neither the text of a memory nor a model's answer changes. A
	// vector of an unknown memory is ignored.
	PutVectors(ctx context.Context, tenant memory.Tenant, model string, vectors map[string][]float32) error
	// IndexRows pages through a tenant's memories, active and archived, in the
	// order of their ids, with the vector of the model where there is one.
	IndexRows(ctx context.Context, tenant memory.Tenant, q IndexQuery) ([]IndexRow, error)

	// PutCalibration stores a calibration of a model; the latest is in force. A
	// stored calibration with the same id is not replaced.
	PutCalibration(ctx context.Context, tenant memory.Tenant, c Calibration) error
	// Calibration returns the calibration in force for a model, or ErrNotFound.
	Calibration(ctx context.Context, tenant memory.Tenant, model string) (Calibration, error)
}

// IndexQuery selects memories for an index.
type IndexQuery struct {
	Model string   // returns vectors of this model; empty for none
	IDs   []string // restricts to these ids; empty for all
	After string   // id; exclusive
	Limit int      // default 100, or all of IDs
	// Newest returns the rows by descending id.
	Newest bool
	// Lacking selects only memories without a vector of the model.
	Lacking bool
	// Changed selects the memories of these scopes with a version above the
	// given one. A row carries the version of its scope, and the version grows
	// under the lock of the scope, so no change is missed. Changed together with
	// IDs is ErrInvalid.
	Changed map[memory.Scope]int64
}

// IndexRow is a memory with the columns that an index needs.
type IndexRow struct {
	memory.Memory
	// Session identifies the session and publisher of the memory's proposal;
	// empty for none. The value is for comparison, not for display.
	Session   string
	Vector    []float32 // nil without a vector of the model
	UpdatedAt time.Time // when the memory last changed
}

// Calibration holds the similarity thresholds of one model (D2). A threshold is a
// cosine; strictly greater similarities pass.
type Calibration struct {
	ID        string // such as cal-2026-11-21-static
	Model     string
	Duplicate float64
	Cluster   float64
	Loose     float64
	Source    string // the data of the derivation, in words
	Report    []byte // JSON: the derivation, with counts and intervals
	At        time.Time
}
