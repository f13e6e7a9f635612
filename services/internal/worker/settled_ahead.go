package worker

import (
	"maps"
	"sync"
)

// settledAhead remembers the sequence numbers of events that took effect before the
// durable delivered them. Losing it is harmless: the inbox knows the same. Safe for
// concurrent use.
type settledAhead struct {
	mu   sync.Mutex
	seqs map[uint64]struct{}
}

func newSettledAhead() *settledAhead { return &settledAhead{seqs: map[uint64]struct{}{}} }

func (s *settledAhead) add(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seqs[seq] = struct{}{}
}

// remove reports whether seq was remembered, and forgets it.
func (s *settledAhead) remove(seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.seqs[seq]
	delete(s.seqs, seq)
	return known
}

func (s *settledAhead) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seqs) == 0
}

func (s *settledAhead) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seqs) >= maxOvertaken
}

// forget drops what the durable delivered long ago, to another replica.
func (s *settledAhead) forget(delivered uint64, unsettled int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.seqs, func(seq uint64, _ struct{}) bool { return seq+uint64(4*unsettled) < delivered })
}
