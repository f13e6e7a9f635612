package qdrant

import (
	"context"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// index is one open generation. It names the collection itself, not the alias: a query
// embedded with one model must be answered by that model's vectors, even while the
// alias moves.
type index struct {
	backend    *Backend
	generation vector.Generation
	collection string
}

var (
	_ vector.Index  = (*index)(nil)
	_ vector.Loader = (*index)(nil)
)

// Generation implements [vector.Index].
func (x *index) Generation() vector.Generation { return x.generation }

// Versions implements [vector.Index]. Points are ordered by UUID, which is the order of
// the ULIDs.
func (x *index) Versions(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]vector.Stamp, error) {
	point, err := vector.PrepareVersions(tenant, after, limit)
	if err != nil {
		return nil, err
	}
	filter, err := ofTenant(tenant)
	if err != nil {
		return nil, err
	}
	request := &qdrant.ScrollPoints{
		CollectionName: x.collection, Filter: filter, Limit: qdrant.PtrOf(uint32(limit)),
		WithPayload: qdrant.NewWithPayloadInclude(fieldID, fieldVersion, fieldDeleted),
		WithVectors: qdrant.NewWithVectors(false),
	}
	if after != "" {
		// The offset is the first point of the page.
		next, more := point.Next()
		if !more {
			return nil, nil
		}
		request.Offset = qdrant.NewIDUUID(next.UUID())
	}
	var stamps []vector.Stamp
	err = x.backend.read(ctx, "list versions", func(ctx context.Context) error {
		points, err := x.backend.client.Scroll(ctx, request)
		for _, p := range points {
			stamps = append(stamps, vector.Stamp{
				ID: p.Payload[fieldID].GetStringValue(), Version: p.Payload[fieldVersion].GetIntegerValue(),
				Deleted: p.Payload[fieldDeleted].GetBoolValue(),
			})
		}
		return err
	})
	return stamps, err
}

// Stats implements [vector.Index]. It reads three numbers one after the other, between
// which a write may happen.
func (x *index) Stats(ctx context.Context, tenant memory.Tenant) (vector.Stats, error) {
	var stats vector.Stats
	all, err := ofTenant(tenant)
	if err != nil {
		return stats, err
	}
	graves, err := tombstones(tenant, time.Time{})
	if err != nil {
		return stats, err
	}
	total, err := x.count(ctx, all)
	if err != nil {
		return stats, err
	}
	if stats.Tombstones, err = x.count(ctx, graves); err != nil {
		return stats, err
	}
	stats.Live = total - stats.Tombstones
	stats.Newest, err = x.newest(ctx, all)
	return stats, err
}

func (x *index) count(ctx context.Context, filter *qdrant.Filter) (int, error) {
	var n uint64
	err := x.backend.read(ctx, "count", func(ctx context.Context) error {
		var err error
		n, err = x.backend.client.Count(ctx, &qdrant.CountPoints{
			CollectionName: x.collection, Filter: filter, Exact: qdrant.PtrOf(true),
		})
		return err
	})
	return int(n), err
}

// newest returns the latest time of the points that pass, zero for none.
func (x *index) newest(ctx context.Context, filter *qdrant.Filter) (time.Time, error) {
	var at time.Time
	err := x.backend.read(ctx, "find newest", func(ctx context.Context) error {
		points, err := x.backend.client.Scroll(ctx, &qdrant.ScrollPoints{
			CollectionName: x.collection, Filter: filter, Limit: qdrant.PtrOf(uint32(1)),
			OrderBy:     &qdrant.OrderBy{Key: fieldUpdated, Direction: qdrant.Direction_Desc.Enum()},
			WithPayload: qdrant.NewWithPayloadInclude(fieldUpdated), WithVectors: qdrant.NewWithVectors(false),
		})
		if err != nil || len(points) == 0 {
			return err
		}
		at, err = time.Parse(time.RFC3339Nano, points[0].Payload[fieldUpdated].GetStringValue())
		return err
	})
	return at, err
}
