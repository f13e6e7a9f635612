package embedded

import (
	"cmp"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// sessions are the documents of each session in the order in which they were said. Only
// active documents are in it, and none from outside: see [vector.NeighbourReader].
type sessions map[session]*line

// line are the documents of a session.
type line struct{ spoken []spoken }

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

// join adds a document to its session and returns that, nil where it has none.
func (l sessions) join(o *vector.Original, slot int32) *line {
	key, ok := in(o)
	if !ok {
		return nil
	}
	to := l[key]
	if to == nil {
		to = new(line)
		l[key] = to
	}
	one := spoken{o.ProposalID, o.ID, slot}
	if at, there := slices.BinarySearchFunc(to.spoken, one, compareSpoken); !there {
		to.spoken = slices.Insert(to.spoken, at, one)
	}
	return to
}

// leave removes a document from its session.
func (l sessions) leave(o *vector.Original) {
	key, ok := in(o)
	if !ok {
		return
	}
	from := l[key]
	at, there := from.find(o)
	switch {
	case !there:
	case len(from.spoken) == 1:
		delete(l, key)
	default:
		from.spoken = slices.Delete(from.spoken, at, at+1)
	}
}

// find returns the place of a document in its session; a nil line has none.
func (l *line) find(o *vector.Original) (at int, there bool) {
	if l == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(l.spoken, spoken{place: o.ProposalID, id: o.ID}, compareSpoken)
}

// fewSpoken is the length up to which a session is looked through for a slot, in less time
// than strings are compared.
const fewSpoken = 32

// placed returns the session of a document and its place there. The row that it was last put
// into is most often still its own, and knows the session.
func (s *shard) placed(o *vector.Original) (l *line, at int, there bool) {
	slot := o.Row.Load()
	if int(slot) < len(s.rows) && s.rows[slot].original == o {
		l = s.rows[slot].said
		if l != nil && len(l.spoken) <= fewSpoken {
			at = slices.IndexFunc(l.spoken, func(other spoken) bool { return other.slot == slot })
			return l, at, at >= 0
		}
	} else if key, ok := in(o); ok {
		l = s.said[key]
	}
	at, there = l.find(o)
	return l, at, there // not there: archived since
}

// neighbours appends the neighbours of the n-th of some documents. The caller holds the lock.
func (s *shard) neighbours(found []vector.Neighbour, of []*vector.Original, n, reach int) []vector.Neighbour {
	if of[n] == nil {
		return found
	}
	line, at, there := s.placed(of[n])
	if !there {
		return found
	}
	for i := max(0, at-reach); i <= min(at+reach, len(line.spoken)-1); i++ {
		if i != at {
			near := s.rows[line.spoken[i].slot].original
			found = append(found, vector.Neighbour{
				Of: n, ID: line.spoken[i].id, Distance: max(i-at, at-i), Passage: near.Passage, Memo: &near.Memo, Row: line.spoken[i].slot + 1,
			})
		}
	}
	return found
}
