package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Briefings reads what the start of a session tells, and what a digest samples.
// Each read is one query however many scopes are asked for, and touches about as
// many rows as it returns, whatever the tables hold.
type Briefings interface {
	// Newest lists the newest active memories of each scope, by id.
	Newest(ctx context.Context, tenant memory.Tenant, q NewestQuery) ([]memory.Memory, error)
	// Left lists the memories that went out of service last, of each scope.
	Left(ctx context.Context, tenant memory.Tenant, q LeftQuery) ([]memory.Memory, error)
	// Promotions lists what triage promoted, the latest decision first.
	Promotions(ctx context.Context, tenant memory.Tenant, q PromotionQuery) ([]memory.Decision, error)
}

// NewestQuery selects the newest active memories.
type NewestQuery struct {
	Scopes []memory.Scope // the order of the result; none are all of the tenant
	// Kinds restricts; none are all. Without scopes, rules, preferences and
	// strategies have an index, and other kinds have none.
	Kinds []memory.Kind
	Each  int // newest memories of each scope that are looked at; required
	// MinConfidence leaves out those of them that are held with less.
	MinConfidence float64
	Most          int // rows in all, those of the first scopes first; 0 is no bound
}

// LeftQuery selects the memories that were archived after a time.
type LeftQuery struct {
	Scopes []memory.Scope // the order of the result; none are all of the tenant
	Since  time.Time      // exclusive
	Each   int            // rows of each scope at most; required
}

// PromotionQuery selects triage's promotions. A page ends where the next one
// begins: After is the last decision of the page before.
type PromotionQuery struct {
	Since, Until time.Time // Since is exclusive, Until inclusive
	After        memory.Decision
	Limit        int // required
}
