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

// Put implements [vector.Index].
func (x *index) Put(ctx context.Context, docs []vector.Doc) error {
	ready, err := vector.Prepare(x.generation, docs)
	if err != nil {
		return err
	}
	for len(ready) > 0 {
		n := min(batchSize, len(ready))
		operations := make([]*qdrant.PointsUpdateOperation, n)
		for i := range operations {
			if operations[i], err = replacing(&ready[i]); err != nil {
				return fmt.Errorf("document %s: %w", ready[i].ID, err)
			}
		}
		ready = ready[n:]
		err = x.backend.write(ctx, "put", func(ctx context.Context) error {
			_, err := x.backend.client.UpdateBatch(ctx, &qdrant.UpdateBatchPoints{
				CollectionName: x.collection, Wait: qdrant.PtrOf(true), Operations: operations,
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replacing returns the write of one document. Each has an operation of its own,
// because the guard belongs to an operation and each document has its own version.
func replacing(d *vector.Doc) (*qdrant.PointsUpdateOperation, error) {
	id, err := pointID(d.ID)
	if err != nil {
		return nil, err
	}
	guard, err := olderThan(d.Tenant, d.Version)
	if err != nil {
		return nil, err
	}
	return qdrant.NewPointsUpdateUpsert(&qdrant.PointsUpdateOperation_PointStructList{
		Points:       []*qdrant.PointStruct{{Id: id, Vectors: vectorsOf(d), Payload: payloadOf(d)}},
		UpdateFilter: guard,
	}), nil
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
