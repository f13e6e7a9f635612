package embedded

import (
	"cmp"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// sessions are the documents of each session in the order in which they were said. Only
// active documents are in it, and none from outside: see [vector.NeighbourReader].
type sessions map[session][]spoken

// session is a session within one scope: documents of other scopes in the same session
// are no neighbours.
type session struct {
	name  string // with its publisher
	scope memory.Scope
}

// spoken is a document's position in its session.
type spoken struct {
	place, id string
	slot      int32
}

func compareSpoken(a, b spoken) int {
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id))
}

// in returns the session of a document, ok for one that belongs to a session.
func in(o *vector.Original) (s session, ok bool) {
	if o == nil || o.Session == "" || o.Authority <= memory.OriginExternal {
		return s, false
	}
	return session{o.Session, o.Scope}, true
}

// join adds a document to its session, if it has one.
func (l sessions) join(o *vector.Original, slot int32) {
	key, ok := in(o)
	if !ok {
		return
	}
	one := spoken{o.ProposalID, o.ID, slot}
	if at, there := slices.BinarySearchFunc(l[key], one, compareSpoken); !there {
		l[key] = slices.Insert(l[key], at, one)
	}
}

// leave removes a document from its session.
func (l sessions) leave(o *vector.Original) {
	key, ok := in(o)
	if !ok {
		return
	}
	at, there := slices.BinarySearchFunc(l[key], spoken{place: o.ProposalID, id: o.ID}, compareSpoken)
	switch {
	case !there:
	case len(l[key]) == 1:
		delete(l, key)
	default:
		l[key] = slices.Delete(l[key], at, at+1)
	}
}

// neighbours appends the neighbours of a document. The caller holds the lock.
func (s *shard) neighbours(found []vector.Neighbour, o *vector.Original, reach int) []vector.Neighbour {
	key, ok := in(o)
	if !ok {
		return found
	}
	line := s.said[key]
	at, there := slices.BinarySearchFunc(line, spoken{place: o.ProposalID, id: o.ID}, compareSpoken)
	if !there {
		return found // archived since
	}
	for n := max(0, at-reach); n <= min(at+reach, len(line)-1); n++ {
		if n != at {
			near := s.rows[line[n].slot].original
			found = append(found, vector.Neighbour{
				Of: o.ID, ID: line[n].id, Distance: max(n-at, at-n), Passage: near.Passage, Memo: &near.Memo,
			})
		}
	}
	return found
}
