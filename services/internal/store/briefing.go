package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Briefings reads the rows that the start of a session shows and that a digest
// samples. Each read is one query for any number of scopes. A read touches about
// as many rows as it returns, independent of the size of the tables.
type Briefings interface {
	// Newest lists the newest active memories of each scope, the newest first or in
	// the order of q.Order. Newest means the greatest id.
	Newest(ctx context.Context, tenant memory.Tenant, q NewestQuery) ([]memory.Memory, error)
	// Archived lists the most recently archived memories of each scope.
	Archived(ctx context.Context, tenant memory.Tenant, q ArchivedQuery) ([]memory.Memory, error)
	// Promotions lists triage's promotions, the latest decision first.
	Promotions(ctx context.Context, tenant memory.Tenant, q PromotionQuery) ([]memory.Decision, error)
}

// NewestQuery selects the newest active memories.
type NewestQuery struct {
	Scopes []memory.Scope // the order of the result; empty selects every scope of the tenant
	// Kinds restricts the result; empty selects every kind. Without scopes, an
	// index exists for rules, preferences and strategies only.
	Kinds []memory.Kind
	Each  int // newest memories of each scope that are read; required
	// MinConfidence drops memories with a lower confidence from those read.
	MinConfidence float64
	// Since drops memories created at it or before from those read; zero drops none.
	Since time.Time
	// Order of the rows of a scope, or of all rows without scopes. It does not
	// change which rows of a scope are read, only which of them Most leaves.
	Order NewestOrder
	Most  int // rows in total, the first of the order; 0 is no bound
}

// NewestOrder is the order of the memories that [Briefings].Newest lists.
type NewestOrder int

const (
	ByAge NewestOrder = iota // the newest first
	// ByWeight is by kind in the order of NewestQuery.Kinds, then by importance and
	// confidence, the greatest first. Memories that are equal in all of it have the
	// newest first.
	ByWeight
)

// ArchivedQuery selects the memories that were archived after a time.
type ArchivedQuery struct {
	Scopes []memory.Scope // the order of the result; empty selects every scope of the tenant
	Since  time.Time      // exclusive
	Each   int            // rows of each scope at most; required
}

// PromotionQuery selects triage's promotions, page by page. After is the cursor:
// the last decision of the previous page.
type PromotionQuery struct {
	Since, Until time.Time // Since is exclusive, Until inclusive
	After        memory.Decision
	Limit        int // required
}
