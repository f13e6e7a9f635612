package qdrant

import (
	"context"
	"fmt"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// batchSize is how many writes one request has.
const batchSize = 256

// Put implements [vector.Index]. A request is one operation with one guard, which has a
// clause for each document: an operation for each document would cost the server seven
// times as much.
func (x *index) Put(ctx context.Context, docs []vector.Doc) error {
	return x.upsert(ctx, "put", docs, func(r *qdrant.UpsertPoints, batch []vector.Doc) (err error) {
		r.UpdateFilter, err = olderThan(batch)
		return err
	})
}

// Load implements [vector.Loader]. A point that exists is not written, whatever it is.
func (x *index) Load(ctx context.Context, docs []vector.Doc) error {
	return x.upsert(ctx, "load", docs, func(r *qdrant.UpsertPoints, _ []vector.Doc) error {
		r.UpdateMode = qdrant.UpdateMode_InsertOnly.Enum()
		return nil
	})
}

// upsert writes documents in requests that restrict gives their condition.
func (x *index) upsert(ctx context.Context, operation string, docs []vector.Doc, restrict func(*qdrant.UpsertPoints, []vector.Doc) error) error {
	ready, err := vector.Prepare(x.generation, docs)
	if err != nil {
		return err
	}
	for len(ready) > 0 {
		n, err := distinct(ready[:min(batchSize, len(ready))])
		if err != nil {
			return err
		}
		request := &qdrant.UpsertPoints{CollectionName: x.collection, Wait: qdrant.PtrOf(true)}
		for i := range ready[:n] {
			p, err := pointOf(&ready[i])
			if err != nil {
				return fmt.Errorf("document %s: %w", ready[i].ID, err)
			}
			request.Points = append(request.Points, p)
		}
		if err := restrict(request, ready[:n]); err != nil {
			return err
		}
		ready = ready[n:]
		err = x.backend.write(ctx, operation, func(ctx context.Context) error {
			_, err := x.backend.client.Upsert(ctx, request)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// distinct returns how many documents at the beginning are different points. One request
// may name a point only once, and two tenants may have the same id.
func distinct(docs []vector.Doc) (int, error) {
	seen := make(map[vector.Point]bool, len(docs))
	for i := range docs {
		p, err := vector.PointOf(docs[i].ID)
		if err != nil {
			return 0, err
		}
		if seen[p] {
			return i, nil
		}
		seen[p] = true
	}
	return len(docs), nil
}

// pointOf returns a document as a point.
func pointOf(d *vector.Doc) (*qdrant.PointStruct, error) {
	id, err := pointID(d.ID)
	if err != nil {
		return nil, err
	}
	return &qdrant.PointStruct{Id: id, Vectors: vectorsOf(d), Payload: payloadOf(d)}, nil
}

// vectorsOf returns a document's vectors, empty but present for a tombstone: a point
// without the field is refused.
func vectorsOf(d *vector.Doc) *qdrant.Vectors {
	vectors := make(map[string]*qdrant.Vector, 2)
	if d.Dense != nil {
		vectors[denseVector] = qdrant.NewVectorDense(d.Dense)
	}
	if len(d.Terms.Tokens) > 0 {
		vectors[sparseVector] = qdrant.NewVectorSparse(d.Terms.Tokens, d.Terms.Weights)
	}
	return qdrant.NewVectorsMap(vectors)
}

// payloadOf returns the whole payload. Empty names are not left out, so that a filter
// can ask for the empty one. Times have microseconds.
func payloadOf(d *vector.Doc) map[string]*qdrant.Value {
	payload := map[string]*qdrant.Value{
		fieldID: qdrant.NewValueString(d.ID), fieldTenant: qdrant.NewValueString(string(d.Tenant)),
		fieldVersion: qdrant.NewValueInt(d.Version), fieldDeleted: qdrant.NewValueBool(d.Deleted),
		fieldUpdated: qdrant.NewValueString(d.UpdatedAt.UTC().Format(time.RFC3339Nano)),
	}
	if d.Deleted {
		return payload
	}
	for field, value := range map[string]string{
		fieldScope: string(d.Scope), fieldKind: string(d.Kind), fieldState: string(d.State),
		fieldOutcome: d.Outcome, fieldSuccessor: d.Successor, fieldHash: d.ContentHash,
	} {
		payload[field] = qdrant.NewValueString(value)
	}
	return payload
}

// Purge implements [vector.Index].
func (x *index) Purge(ctx context.Context, tenant memory.Tenant, before time.Time) error {
	if before.IsZero() {
		return nil
	}
	filter, err := tombstones(tenant, before)
	if err != nil {
		return err
	}
	return x.backend.write(ctx, "purge", func(ctx context.Context) error {
		_, err := x.backend.client.Delete(ctx, &qdrant.DeletePoints{
			CollectionName: x.collection, Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelectorFilter(filter),
		})
		return err
	})
}
