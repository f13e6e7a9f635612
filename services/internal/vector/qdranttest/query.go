package qdranttest

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// QueryBatch runs nearest-neighbour queries.
func (s pointsService) QueryBatch(_ context.Context, r *qdrant.QueryBatchPoints) (*qdrant.QueryBatchResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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

func chance(id string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum32()
}

// score computes what a query asks for over the candidates that have the vector.
func (c *collection) score(q *qdrant.QueryPoints, candidates []string) ([]scored, error) {
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

func (c *collection) nearest(name string, query []float32, candidates []string) []scored {
	var found []scored
	for _, id := range candidates {
		v, has := c.points[id].dense[name]
		if !has {
			continue
		}
		var score float32
		for i, x := range query {
			score += x * v[i]
		}
		found = append(found, scored{id, score})
	}
	return found
}

// relevant sums the query's weights, multiplied by the IDF over the corpus. A
// document of the corpus is a point that passes its filter and has the vector.
func (c *collection) relevant(name string, query map[uint32]float32, corpus *qdrant.Filter, candidates []string) ([]scored, error) {
	texts, err := c.selected(corpus)
	if err != nil {
		return nil, err
	}
	n, df := 0, make(map[uint32]int)
	for _, id := range texts {
		terms, has := c.points[id].sparse[name]
		if !has {
			continue
		}
		n++
		for index := range query {
			if _, ok := terms[index]; ok {
				df[index]++
			}
		}
	}
	var found []scored
	for _, id := range candidates {
		var score float32
		shared := false
		for index, weight := range query {
			if w, ok := c.points[id].sparse[name][index]; ok {
				idf := math.Log((float64(n)-float64(df[index])+0.5)/(float64(df[index])+0.5) + 1)
				score += weight * float32(idf) * w
				shared = true
			}
		}
		if shared {
			found = append(found, scored{id, score})
		}
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
