package embedded

import (
	"cmp"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// sessions are the documents of each session in the order in which they were
// said. Only those in force are in it, and none from outside: see
// [vector.Surrounder].
type sessions map[session][]spoken

// session is one in one scope: what was said of another project in it stands
// beside nothing here.
type session struct {
	name  string // with its publisher
	scope memory.Scope
}

// spoken is a document's place in its session.
type spoken struct{ place, id string }

func compareSpoken(a, b spoken) int {
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id))
}

// in is where a document belongs, ok for one that belongs to a session.
func in(scope memory.Scope, g *vector.Original) (s session, ok bool) {
	if g == nil || g.Session == "" || g.Authority <= memory.OriginExternal {
		return s, false
	}
	return session{g.Session, scope}, true
}

// join puts a document into its session, if it has one.
func (l sessions) join(scope memory.Scope, g *vector.Original, id string) {
	key, ok := in(scope, g)
	if !ok {
		return
	}
	one := spoken{g.ProposalID, id}
	if at, there := slices.BinarySearchFunc(l[key], one, compareSpoken); !there {
		l[key] = slices.Insert(l[key], at, one)
	}
}

// leave takes it out again, if it is there.
func (l sessions) leave(scope memory.Scope, g *vector.Original, id string) {
	key, ok := in(scope, g)
	if !ok {
		return
	}
	at, there := slices.BinarySearchFunc(l[key], spoken{g.ProposalID, id}, compareSpoken)
	switch {
	case !there:
	case len(l[key]) == 1:
		delete(l, key)
	default:
		l[key] = slices.Delete(l[key], at, at+1)
	}
}

// beside appends what stands next to a document. The caller holds the lock.
func (s *shard) beside(found []vector.Neighbour, id string, reach int) []vector.Neighbour {
	slot, ok := s.slot(id)
	if !ok {
		return found
	}
	g := s.rows[slot].original
	key, ok := in(s.classes.list[s.visible[slot]].scope, g)
	if !ok {
		return found
	}
	line := s.said[key]
	at, there := slices.BinarySearchFunc(line, spoken{g.ProposalID, id}, compareSpoken)
	if !there {
		return found // archived
	}
	for n := max(0, at-reach); n <= min(at+reach, len(line)-1); n++ {
		next, ok := s.slot(line[n].id)
		if n == at || !ok {
			continue
		}
		found = append(found, vector.Neighbour{Of: id, ID: line[n].id, Distance: max(n-at, at-n), Passage: s.rows[next].original.Passage})
	}
	return found
}

// slot is where a document is.
func (s *shard) slot(id string) (slot int32, live bool) {
	point, err := vector.PointOf(id)
	if err != nil {
		return 0, false
	}
	slot, live = s.slots[point]
	return slot, live
}
