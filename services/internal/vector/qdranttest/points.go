package qdranttest

import (
	"context"
	"math"
	"slices"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type pointsService struct {
	qdrant.UnimplementedPointsServer
	*state
}

var completed = &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}

// CreateFieldIndex allows filters on a field. A repeat is no error.
func (s pointsService) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	c.indexed[r.FieldName] = r.GetFieldType()
	return &qdrant.PointsOperationResponse{Result: completed}, nil
}

// Upsert writes points, all or none. An existing point that does not pass the filter is
// not written, and with the mode insert-only none is; new ones always are.
func (s pointsService) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	if limit := c.created.GetStrictModeConfig().GetUpsertMaxBatchsize(); limit > 0 && uint64(len(r.Points)) > limit {
		return nil, status.Errorf(codes.InvalidArgument, "Limit exceeded %d > %d for \"upsert limit\"", len(r.Points), limit)
	}
	if err := c.checkFilter(r.UpdateFilter); err != nil {
		return nil, err
	}
	accepted := make(map[string]*point, len(r.Points))
	for _, given := range r.Points {
		id := given.GetId().GetUuid()
		if _, twice := accepted[id]; twice || len(id) != 36 {
			return nil, status.Errorf(codes.InvalidArgument, "%q: a UUID is wanted, each once", id)
		}
		if accepted[id], err = c.parse(given); err != nil {
			return nil, err
		}
		have, exists := c.points[id]
		pass := !exists
		switch {
		case !exists || r.GetUpdateMode() == qdrant.UpdateMode_InsertOnly:
		case r.UpdateMode != nil:
			return nil, unsupported("update mode", r.UpdateMode)
		default:
			if pass, err = c.passes(r.UpdateFilter, id, have); err != nil {
				return nil, err
			}
		}
		if !pass {
			accepted[id] = nil
		}
	}
	for id, p := range accepted {
		if p != nil {
			c.points[id] = p
		}
	}
	c.found.forget()
	return &qdrant.PointsOperationResponse{Result: completed}, nil
}

// parse checks a point against the schema and normalises its vectors as Qdrant
// does for the cosine.
func (c *collection) parse(given *qdrant.PointStruct) (*point, error) {
	if given.Vectors == nil {
		return nil, status.Error(codes.InvalidArgument, "Expected some vectors")
	}
	p := &point{payload: given.Payload, dense: make(map[string][]float32), sparse: make(map[string]map[uint32]float32)}
	for name, v := range given.Vectors.GetVectors().GetVectors() {
		params, isDense := c.created.GetVectorsConfig().GetParamsMap().GetMap()[name]
		_, isSparse := c.created.GetSparseVectorsConfig().GetMap()[name]
		switch {
		case isDense && v.GetDense() != nil:
			data := v.GetDense().GetData()
			if uint64(len(data)) != params.Size {
				return nil, status.Errorf(codes.InvalidArgument, "Vector dimension error: expected dim: %d, got %d", params.Size, len(data))
			}
			p.dense[name] = normalised(data)
		case isSparse && v.GetSparse() != nil:
			terms, err := termsOf(v.GetSparse())
			if err != nil {
				return nil, err
			}
			p.sparse[name] = terms
		default:
			return nil, status.Errorf(codes.InvalidArgument, "Not existing vector name error: %s", name)
		}
	}
	return p, nil
}

func termsOf(v *qdrant.SparseVector) (map[uint32]float32, error) {
	terms := make(map[uint32]float32, len(v.Indices))
	for i, index := range v.Indices {
		if _, twice := terms[index]; twice || len(v.Values) != len(v.Indices) {
			return nil, status.Error(codes.InvalidArgument, "indices must be unique and have one value each")
		}
		terms[index] = v.Values[i]
	}
	return terms, nil
}

// normalised returns v at length 1. A vector of length 1 is returned unchanged, bit for
// bit.
func normalised(v []float32) []float32 {
	var square float32
	for _, x := range v {
		square += x * x
	}
	v = slices.Clone(v)
	if square < 1e-6 || math.Abs(float64(square)-1) < 1e-6 {
		return v
	}
	length := float32(math.Sqrt(float64(square)))
	for i := range v {
		v[i] /= length
	}
	return v
}

// Delete removes the points that pass a filter.
func (s pointsService) Delete(_ context.Context, r *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	filter := r.GetPoints().GetFilter()
	if filter == nil {
		return nil, unsupported("selector", r.Points)
	}
	doomed, err := c.selected(filter)
	if err != nil {
		return nil, err
	}
	for _, id := range doomed.ids {
		delete(c.points, id)
	}
	c.found.forget()
	return &qdrant.PointsOperationResponse{Result: completed}, nil
}

// Count counts the points that pass a filter.
func (s pointsService) Count(_ context.Context, r *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	found, err := c.selected(r.Filter)
	if err != nil {
		return nil, err
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(len(found.ids))}}, nil
}

// Scroll pages through points by id, the offset first, or orders one page by a
// time.
func (s pointsService) Scroll(_ context.Context, r *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	if limit := c.created.GetStrictModeConfig().GetMaxQueryLimit(); limit > 0 && r.GetLimit() > limit {
		return nil, status.Errorf(codes.InvalidArgument, "Limit exceeded %d > %d for \"limit\"", r.GetLimit(), limit)
	}
	passing, err := c.selected(r.Filter)
	if err != nil {
		return nil, err
	}
	found := passing.ids
	if order := r.OrderBy; order != nil {
		if c.indexed[order.Key] != qdrant.FieldType_FieldTypeDatetime || order.GetDirection() != qdrant.Direction_Desc {
			return nil, unsupported("order", order)
		}
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b string) int {
			x, _ := timeOf(c.points[a].payload[order.Key])
			y, _ := timeOf(c.points[b].payload[order.Key])
			return y.Compare(x)
		})
	} else if from := r.GetOffset().GetUuid(); from != "" {
		at, _ := slices.BinarySearch(found, from)
		found = found[at:]
	}
	response := &qdrant.ScrollResponse{}
	for i, id := range found {
		if i == int(r.GetLimit()) {
			response.NextPageOffset = qdrant.NewIDUUID(id)
			break
		}
		response.Result = append(response.Result, &qdrant.RetrievedPoint{
			Id: qdrant.NewIDUUID(id), Payload: included(r.WithPayload, c.points[id].payload),
		})
	}
	return response, nil
}

// included returns the requested part of a payload.
func included(selector *qdrant.WithPayloadSelector, payload map[string]*qdrant.Value) map[string]*qdrant.Value {
	part := make(map[string]*qdrant.Value)
	for _, field := range selector.GetInclude().GetFields() {
		if v, ok := payload[field]; ok {
			part[field] = v
		}
	}
	return part
}
