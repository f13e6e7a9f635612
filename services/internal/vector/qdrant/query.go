package qdrant

import (
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// This file builds every condition that is sent to Qdrant. None can be built without a
// tenant: each function takes a tenant, or a filter that was checked to have one.

// ofTenant returns the condition that all others are added to.
func ofTenant(tenant memory.Tenant) (*qdrant.Filter, error) {
	if tenant == "" {
		return nil, vector.ErrNoTenant
	}
	return &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldTenant, string(tenant))}}, nil
}

// visible returns the condition of a search's filter.
func visible(within vector.Filter) (*qdrant.Filter, error) {
	if err := within.Check(); err != nil {
		return nil, err
	}
	f, err := ofTenant(within.Tenant())
	if err != nil {
		return nil, err
	}
	f.MustNot = append(f.MustNot, qdrant.NewMatchBool(fieldDeleted, true))
	f.Must = oneOf(f.Must, fieldScope, within.Scopes())
	f.Must = oneOf(f.Must, fieldKind, within.OnlyKinds())
	f.Must = oneOf(f.Must, fieldState, within.OnlyStates())
	f.Must = oneOf(f.Must, fieldOutcome, within.OnlyOutcomes())
	if except := within.Excepted(); len(except) > 0 {
		ids := make([]*qdrant.PointId, len(except))
		for i, id := range except {
			if ids[i], err = pointID(id); err != nil {
				return nil, err
			}
		}
		f.MustNot = append(f.MustNot, qdrant.NewHasID(ids...))
	}
	return f, nil
}

// oneOf adds the condition that a field has one of the values; with none, no
// condition.
func oneOf[T ~string](conditions []*qdrant.Condition, field string, values []T) []*qdrant.Condition {
	if len(values) == 0 {
		return conditions
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return append(conditions, qdrant.NewMatchKeywords(field, words...))
}

// olderThan returns the guard of a write: an existing point is replaced only if one of
// the clauses passes, which is that of its own document. The tenant is part of a clause,
// so that an id of another tenant is never changed.
func olderThan(docs []vector.Doc) (*qdrant.Filter, error) {
	guard := &qdrant.Filter{Should: make([]*qdrant.Condition, len(docs))}
	for i := range docs {
		f, err := ofTenant(docs[i].Tenant)
		if err != nil {
			return nil, err
		}
		id, err := pointID(docs[i].ID)
		if err != nil {
			return nil, err
		}
		f.Must = append(f.Must, qdrant.NewHasID(id),
			qdrant.NewRange(fieldVersion, &qdrant.Range{Lt: qdrant.PtrOf(float64(docs[i].Version))}))
		guard.Should[i] = qdrant.NewFilterAsCondition(f)
	}
	return guard, nil
}

// tombstones returns the condition of a tenant's tombstones; with a time, those last
// updated before it.
func tombstones(tenant memory.Tenant, before time.Time) (*qdrant.Filter, error) {
	f, err := ofTenant(tenant)
	if err != nil {
		return nil, err
	}
	f.Must = append(f.Must, qdrant.NewMatchBool(fieldDeleted, true))
	if !before.IsZero() {
		f.Must = append(f.Must, qdrant.NewDatetimeRange(fieldUpdated, &qdrant.DatetimeRange{Lt: timestamppb.New(before)}))
	}
	return f, nil
}

func pointID(id string) (*qdrant.PointId, error) {
	point, err := vector.PointOf(id)
	if err != nil {
		return nil, err
	}
	return qdrant.NewIDUUID(point.UUID()), nil
}
