package qdrant

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Names inside a collection.
const (
	denseVector  = "dense"
	sparseVector = "bm25"

	fieldTenant    = "tenant"
	fieldID        = "id" // with its prefix, which the point's UUID lacks
	fieldScope     = "scope"
	fieldKind      = "kind"
	fieldState     = "state"
	fieldOutcome   = "outcome"
	fieldSuccessor = "successor"
	fieldHash      = "content_hash"
	fieldVersion   = "version"
	fieldDeleted   = "deleted"
	fieldUpdated   = "updated_at"
)

// maxAsked is the highest limit of one request. It is above the port's limit, because
// ties at the cut need a look at what comes after.
const maxAsked = 2 * vector.MaxLimit

// name returns the name of a generation's collection.
func (b *Backend) name(n int) string { return b.config.Prefix + "_g" + strconv.Itoa(n) }

// numberOf parses a collection's name, ok for a collection of this installation.
func (b *Backend) numberOf(collection string) (int, bool) {
	digits, ours := strings.CutPrefix(collection, b.config.Prefix+"_g")
	n, err := strconv.Atoi(digits)
	return n, ours && err == nil && n > 0
}

// collection returns the schema of a generation's collection. Graphs are built per
// tenant (payload_m) and there is none over all of them, because no query spans
// tenants; below the full scan threshold (in kB of vectors) a search is exact.
func (b *Backend) collection(g vector.Generation) *qdrant.CreateCollection {
	c := &qdrant.CreateCollection{
		CollectionName: b.name(g.N),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{
			sparseVector: {Modifier: qdrant.Modifier_Idf.Enum()},
		}),
		HnswConfig: &qdrant.HnswConfigDiff{
			M: qdrant.PtrOf(uint64(0)), PayloadM: qdrant.PtrOf(uint64(16)),
			EfConstruct: qdrant.PtrOf(uint64(128)), FullScanThreshold: qdrant.PtrOf(uint64(20_000)),
		},
		StrictModeConfig: &qdrant.StrictModeConfig{
			Enabled: qdrant.PtrOf(true), MaxQueryLimit: qdrant.PtrOf(uint32(maxAsked)),
			UnindexedFilteringRetrieve: qdrant.PtrOf(false), UnindexedFilteringUpdate: qdrant.PtrOf(false),
			SearchAllowExact: qdrant.PtrOf(true), UpsertMaxBatchsize: qdrant.PtrOf(uint64(2 * batchSize)),
		},
		Metadata: metadataOf(g),
	}
	vectors := map[string]*qdrant.VectorParams{}
	if g.Dim > 0 {
		vectors[denseVector] = &qdrant.VectorParams{Size: uint64(g.Dim), Distance: qdrant.Distance_Cosine}
	}
	c.VectorsConfig = qdrant.NewVectorsConfigMap(vectors)
	return c
}

// indexes creates the payload indexes of all filtered fields. Strict mode refuses
// filters on other fields. They come before the first document, because a tenant's
// graph is built over the fields that are indexed by then.
func (b *Backend) indexes(ctx context.Context, g vector.Generation) error {
	keyword := func(tenant bool) *qdrant.PayloadIndexParams {
		return qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(tenant)})
	}
	fields := []struct {
		name   string
		kind   qdrant.FieldType
		params *qdrant.PayloadIndexParams
	}{
		{fieldTenant, qdrant.FieldType_FieldTypeKeyword, keyword(true)},
		{fieldScope, qdrant.FieldType_FieldTypeKeyword, keyword(false)},
		{fieldKind, qdrant.FieldType_FieldTypeKeyword, keyword(false)},
		{fieldState, qdrant.FieldType_FieldTypeKeyword, keyword(false)},
		{fieldOutcome, qdrant.FieldType_FieldTypeKeyword, keyword(false)},
		{fieldVersion, qdrant.FieldType_FieldTypeInteger, qdrant.NewPayloadIndexParamsInt(
			&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(true)})},
		{fieldDeleted, qdrant.FieldType_FieldTypeBool, nil},
		{fieldUpdated, qdrant.FieldType_FieldTypeDatetime, nil},
	}
	for _, f := range fields {
		ctx, cancel := context.WithTimeout(ctx, b.config.WriteTimeout)
		_, err := b.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
			CollectionName: b.name(g.N), Wait: qdrant.PtrOf(true),
			FieldName: f.name, FieldType: f.kind.Enum(), FieldIndexParams: f.params,
		})
		cancel()
		if err != nil {
			return fmt.Errorf("index field %s: %w", f.name, err)
		}
	}
	return nil
}

// metadataOf returns a generation as metadata of its collection, so that a collection
// names the model of its vectors.
func metadataOf(g vector.Generation) map[string]*qdrant.Value {
	return map[string]*qdrant.Value{
		"number": qdrant.NewValueInt(int64(g.N)), "model": qdrant.NewValueString(g.Model),
		"dim": qdrant.NewValueInt(int64(g.Dim)), "analyzer": qdrant.NewValueString(g.Analyzer),
		"avg_len": qdrant.NewValueDouble(g.AvgLen),
	}
}

func generationOf(metadata map[string]*qdrant.Value) vector.Generation {
	return vector.Generation{
		N: int(metadata["number"].GetIntegerValue()), Model: metadata["model"].GetStringValue(),
		Dim: int(metadata["dim"].GetIntegerValue()), Analyzer: metadata["analyzer"].GetStringValue(),
		AvgLen: metadata["avg_len"].GetDoubleValue(),
	}
}
