package qdranttest

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// QueryBatch runs nearest-neighbour queries.
func (s pointsService) QueryBatch(_ context.Context, r *qdrant.QueryBatchPoints) (*qdrant.QueryBatchResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	response := &qdrant.QueryBatchResponse{}
	for _, q := range r.QueryPoints {
		points, err := c.query(q)
		if err != nil {
			return nil, err
		}
		response.Result = append(response.Result, &qdrant.BatchResult{Result: points})
	}
	return response, nil
}

// scored is a point with its score.
type scored struct {
	id    string
	score float32
}

func (c *collection) query(q *qdrant.QueryPoints) ([]*qdrant.ScoredPoint, error) {
	if limit := c.created.GetStrictModeConfig().GetMaxQueryLimit(); limit > 0 && q.GetLimit() > uint64(limit) {
		return nil, status.Errorf(codes.InvalidArgument, "Limit exceeded %d > %d for \"limit\"", q.GetLimit(), limit)
	}
	if len(q.Prefetch) > 0 || q.Offset != nil || q.GetQuery().GetNearest() == nil {
		return nil, unsupported("query", q)
	}
	candidates, err := c.selected(q.Filter)
	if err != nil {
		return nil, err
	}
	found, err := c.score(q, candidates)
	if err != nil {
		return nil, err
	}
	if q.ScoreThreshold != nil {
		found = slices.DeleteFunc(found, func(s scored) bool { return s.score < *q.ScoreThreshold })
	}
	// Among equal scores Qdrant promises no order, so the order is random.
	found = best(found, int(q.GetLimit()))
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(chance(a.id), chance(b.id)))
	})
	result := make([]*qdrant.ScoredPoint, 0, q.GetLimit())
	for _, s := range found[:min(int(q.GetLimit()), len(found))] {
		p := c.points[s.id]
		result = append(result, &qdrant.ScoredPoint{
			Id: qdrant.NewIDUUID(s.id), Score: s.score, Payload: included(q.WithPayload, p.payload), Vectors: p.output(q.WithVectors),
		})
	}
	return result, nil
}

// best returns the limit greatest scores and those equal to the last of them, in no
// order.
func best(found []scored, limit int) []scored {
	if limit < 1 || len(found) <= limit {
		return found
	}
	scores := make([]float32, len(found))
	for i, s := range found {
		scores[i] = s.score
	}
	slices.Sort(scores)
	least := scores[len(scores)-limit]
	return slices.DeleteFunc(found, func(s scored) bool { return s.score < least })
}

func chance(id string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum32()
}

// score computes what a query asks for over the candidates that have the vector.
func (c *collection) score(q *qdrant.QueryPoints, candidates *selection) ([]scored, error) {
	name := q.GetUsing()
	switch v := q.GetQuery().GetNearest().GetVariant().(type) {
	case *qdrant.VectorInput_Dense:
		params, ok := c.created.GetVectorsConfig().GetParamsMap().GetMap()[name]
		if !ok || uint64(len(v.Dense.GetData())) != params.Size {
			return nil, status.Errorf(codes.InvalidArgument, "Vector dimension error for %q", name)
		}
		return c.nearest(name, normalised(v.Dense.GetData()), candidates), nil
	case *qdrant.VectorInput_Sparse:
		if _, ok := c.created.GetSparseVectorsConfig().GetMap()[name]; !ok {
			return nil, status.Errorf(codes.InvalidArgument, "Not existing vector name error: %s", name)
		}
		terms, err := termsOf(v.Sparse)
		if err != nil {
			return nil, err
		}
		return c.relevant(name, terms, q.GetParams().GetIdf().GetCorpus(), candidates)
	}
	return nil, unsupported("query", q)
}

func (c *collection) nearest(name string, query []float32, candidates *selection) []scored {
	found := make([]scored, 0, len(candidates.ids))
	for i, id := range candidates.ids {
		if v, has := candidates.points[i].dense[name]; has {
			found = append(found, scored{id, dot.Of(query, v)})
		}
	}
	return found
}

// relevant sums the query's weights, multiplied by the IDF over the corpus. A
// document of the corpus is a point that passes its filter and has the vector.
func (c *collection) relevant(name string, query map[uint32]float32, corpus *qdrant.Filter, candidates *selection) ([]scored, error) {
	texts, err := c.selected(corpus)
	if err != nil {
		return nil, err
	}
	n, scores := float64(texts.having(name)), make(map[int]float32)
	for _, index := range slices.Sorted(maps.Keys(query)) {
		df := float64(len(texts.postings(name, index)))
		idf := math.Log((n-df+0.5)/(df+0.5) + 1)
		for _, at := range candidates.postings(name, index) {
			scores[at] += query[index] * float32(idf) * candidates.points[at].sparse[name][index]
		}
	}
	found := make([]scored, 0, len(scores))
	for at, score := range scores {
		found = append(found, scored{candidates.ids[at], score})
	}
	return found, nil
}

// output returns the requested part of a point's vectors.
func (p *point) output(selector *qdrant.WithVectorsSelector) *qdrant.VectorsOutput {
	named := make(map[string]*qdrant.VectorOutput)
	for _, name := range selector.GetInclude().GetNames() {
		if v, ok := p.dense[name]; ok {
			named[name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: v}}}
		}
	}
	return &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: named}}}
}
