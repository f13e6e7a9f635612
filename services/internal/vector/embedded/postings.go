package embedded

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// postings holds for each token the slots that have it, with the weight.
type postings struct {
	lists map[uint32]*posting
	texts int // slots with at least one token: the n of the IDF
}

// posting is one token's list, in no order.
type posting struct {
	slots   []int32
	weights []float32
}

// replace removes a slot's old tokens and adds the new ones. Removal searches each
// list: lists are long only for common words, and a scan of int32 is cheap compared
// with what a delete list would cost every query.
func (p *postings) replace(slot int32, old []uint32, terms vector.Sparse) {
	for _, token := range old {
		list := p.lists[token]
		at, last := slices.Index(list.slots, slot), len(list.slots)-1
		if last == 0 {
			delete(p.lists, token)
			continue
		}
		list.slots[at], list.weights[at] = list.slots[last], list.weights[last]
		list.slots, list.weights = list.slots[:last], list.weights[:last]
	}
	for i, token := range terms.Tokens {
		list := p.lists[token]
		if list == nil {
			list = &posting{}
			p.lists[token] = list
		}
		list.slots = append(list.slots, slot)
		list.weights = append(list.weights, terms.Weights[i])
	}
	if len(old) > 0 {
		p.texts--
	}
	if len(terms.Tokens) > 0 {
		p.texts++
	}
}
