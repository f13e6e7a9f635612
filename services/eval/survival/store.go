package survival

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// simStore applies changes to memories in memory, by the rules of the store: ids are new,
// an update names a row at the version that it was decided on, and nothing else changes.
type simStore struct {
	rows  map[string]memory.Memory
	links []memory.Link
	items []memory.RunItem
	clock int64
}

func newSimStore() *simStore { return &simStore{rows: map[string]memory.Memory{}} }

func (s *simStore) apply(set change.Set) error {
	for _, m := range set.Memories {
		if _, taken := s.rows[m.ID]; taken {
			return fmt.Errorf("memory %s is there already", m.ID)
		}
		s.clock++
		m.Version = s.clock
		s.rows[m.ID] = m
	}
	for _, u := range set.MemoryUpdates {
		m, ok := s.rows[u.ID]
		if !ok || m.Version != u.Expect {
			return fmt.Errorf("memory %s is at version %d, expected %d", u.ID, m.Version, u.Expect)
		}
		s.clock++
		m.State, m.Confidence, m.SeenCount, m.LastConfirmed = u.State, u.Confidence, u.SeenCount, u.LastConfirmed
		m.ArchivedAt, m.ArchiveReason, m.SuccessorID, m.Version = u.ArchivedAt, u.ArchiveReason, u.SuccessorID, s.clock
		s.rows[u.ID] = m
	}
	s.links = append(s.links, set.Links...)
	s.items = append(s.items, set.RunItems...)
	return nil
}

// active returns the active memories, by id.
func (s *simStore) active() []memory.Memory {
	var out []memory.Memory
	for _, m := range s.rows {
		if m.State == memory.StateActive {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b memory.Memory) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// eroded counts what was archived without a successor within the last month.
func (s *simStore) eroded(now time.Time) int {
	n := 0
	for _, m := range s.rows {
		if m.State == memory.StateArchived && m.SuccessorID == "" && now.Sub(m.ArchivedAt) < erosion.Month {
			n++
		}
	}
	return n
}

// end follows the successors of a row. ok is false when they do not end in a row that is
// active, or archived with a reason.
func (s *simStore) end(id string) (m memory.Memory, ok bool) {
	for range len(s.rows) + 1 {
		if m, ok = s.rows[id]; !ok {
			return m, false
		}
		if m.State == memory.StateActive {
			return m, true
		}
		if m.SuccessorID == "" {
			return m, m.ArchiveReason != ""
		}
		id = m.SuccessorID
	}
	return m, false
}

// undo takes back all runs, the latest first, the way that the store's undo does it: what
// an item archived becomes active again, and what it made is archived.
func (s *simStore) undo() {
	for _, item := range slices.Backward(s.items) {
		made := map[string]bool{}
		for _, l := range s.links {
			if l.Kind == memory.LinkConsolidates && slices.Contains(item.Sources, l.To) {
				made[l.From] = true
			}
		}
		for _, id := range item.Sources {
			m := s.rows[id]
			if m.SuccessorID != "" && !made[m.SuccessorID] {
				continue
			}
			m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateActive, time.Time{}, "", ""
			s.rows[id] = m
		}
		for id := range made {
			m := s.rows[id]
			m.State, m.ArchiveReason = memory.StateArchived, "undone"
			s.rows[id] = m
		}
	}
}
