package qdranttest

import (
	"context"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// collection is one collection with its points by UUID.
type collection struct {
	created *qdrant.CreateCollection
	indexed map[string]qdrant.FieldType
	points  map[string]*point
	found   selections
}

// point is a point as last upserted.
type point struct {
	payload map[string]*qdrant.Value
	dense   map[string][]float32
	sparse  map[string]map[uint32]float32
}

// find returns the collection of a name or an alias. The caller holds the lock.
func (s *state) find(name string) (*collection, error) {
	if target, ok := s.aliases[name]; ok {
		name = target
	}
	c, ok := s.collections[name]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "Collection `%s` doesn't exist!", name)
	}
	return c, nil
}

type collectionsService struct {
	qdrant.UnimplementedCollectionsServer
	*state
}

// Create makes a collection; one of the name is an error.
func (s collectionsService) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.collections[r.CollectionName]; exists {
		return nil, status.Errorf(codes.AlreadyExists, "Collection `%s` already exists!", r.CollectionName)
	}
	s.collections[r.CollectionName] = &collection{
		created: r, indexed: make(map[string]qdrant.FieldType), points: make(map[string]*point),
	}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

// Delete drops a collection and its aliases.
func (s collectionsService) Delete(_ context.Context, r *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, existed := s.collections[r.CollectionName]
	delete(s.collections, r.CollectionName)
	for alias, target := range s.aliases {
		if target == r.CollectionName {
			delete(s.aliases, alias)
		}
	}
	return &qdrant.CollectionOperationResponse{Result: existed}, nil
}

// List names all collections, in no order.
func (s collectionsService) List(context.Context, *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &qdrant.ListCollectionsResponse{}
	for name := range s.collections {
		r.Collections = append(r.Collections, &qdrant.CollectionDescription{Name: name})
	}
	return r, nil
}

// Get returns a collection's configuration.
func (s collectionsService) Get(_ context.Context, r *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	return &qdrant.GetCollectionInfoResponse{Result: &qdrant.CollectionInfo{
		Status: qdrant.CollectionStatus_Green,
		Config: &qdrant.CollectionConfig{
			Params:     &qdrant.CollectionParams{VectorsConfig: c.created.VectorsConfig, SparseVectorsConfig: c.created.SparseVectorsConfig},
			HnswConfig: c.created.HnswConfig, StrictModeConfig: c.created.StrictModeConfig, Metadata: c.created.Metadata,
		},
	}}, nil
}

// UpdateAliases applies all actions under one lock. Deleting a missing alias is no
// error.
func (s collectionsService) UpdateAliases(_ context.Context, r *qdrant.ChangeAliases) (*qdrant.CollectionOperationResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, action := range r.Actions {
		switch {
		case action.GetDeleteAlias() != nil:
			delete(s.aliases, action.GetDeleteAlias().AliasName)
		case action.GetCreateAlias() != nil:
			create := action.GetCreateAlias()
			if _, ok := s.collections[create.CollectionName]; !ok {
				return nil, status.Errorf(codes.NotFound, "Collection `%s` doesn't exist!", create.CollectionName)
			}
			if _, taken := s.collections[create.AliasName]; taken {
				return nil, status.Errorf(codes.AlreadyExists, "Collection `%s` already exists!", create.AliasName)
			}
			s.aliases[create.AliasName] = create.CollectionName
		default:
			return nil, unsupported("alias action", action)
		}
	}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

// ListAliases returns all aliases.
func (s collectionsService) ListAliases(context.Context, *qdrant.ListAliasesRequest) (*qdrant.ListAliasesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &qdrant.ListAliasesResponse{}
	for alias, target := range s.aliases {
		r.Aliases = append(r.Aliases, &qdrant.AliasDescription{AliasName: alias, CollectionName: target})
	}
	return r, nil
}

func unsupported(what string, value any) error {
	return status.Errorf(codes.Unimplemented, "qdranttest does not know this %s: %v", what, value)
}
