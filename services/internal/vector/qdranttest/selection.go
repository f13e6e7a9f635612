package qdranttest

import (
	"maps"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// selection is the points that pass a filter, by id.
type selection struct {
	ids    []string
	points []*point

	lock sync.Mutex
	// words holds the places of the points that have a token, by the vector's name.
	words map[string]map[uint32][]int
}

// selections remembers what passes each filter until a point is written, so that a
// search among ten thousand points takes the server no longer than Qdrant.
type selections struct {
	lock sync.Mutex
	of   map[string]*selection
}

func (s *selections) forget() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.of = nil
}

// selected returns the points that pass a filter. The caller holds the lock of the
// state, and changes nothing of the result.
func (c *collection) selected(f *qdrant.Filter) (*selection, error) {
	if err := c.checkFilter(f); err != nil {
		return nil, err
	}
	key, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
	if err != nil {
		return nil, err
	}
	c.found.lock.Lock()
	defer c.found.lock.Unlock()
	if known := c.found.of[string(key)]; known != nil {
		return known, nil
	}
	fresh := &selection{}
	for _, id := range slices.Sorted(maps.Keys(c.points)) {
		pass, err := c.passes(f, id, c.points[id])
		if err != nil {
			return nil, err
		}
		if pass {
			fresh.ids, fresh.points = append(fresh.ids, id), append(fresh.points, c.points[id])
		}
	}
	if c.found.of == nil {
		c.found.of = make(map[string]*selection)
	}
	c.found.of[string(key)] = fresh
	return fresh, nil
}

// postings returns the places of the points whose sparse vector has a token.
func (s *selection) postings(name string, token uint32) []int {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.words == nil {
		s.words = make(map[string]map[uint32][]int)
	}
	if s.words[name] == nil {
		s.words[name] = make(map[uint32][]int)
		for at, p := range s.points {
			for t := range p.sparse[name] {
				s.words[name][t] = append(s.words[name][t], at)
			}
		}
	}
	return s.words[name][token]
}

// having counts the points that have a sparse vector.
func (s *selection) having(name string) (n int) {
	for _, p := range s.points {
		if _, has := p.sparse[name]; has {
			n++
		}
	}
	return n
}
