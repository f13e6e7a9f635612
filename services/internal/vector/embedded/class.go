package embedded

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// traits are the fields that filters test. A tenant has few combinations of them, so a
// filter is decided once for each combination and a row costs one look-up.
type traits struct {
	scope   memory.Scope
	kind    memory.Kind
	state   vector.State
	outcome string
}

// class numbers a combination.
type class uint32

// hidden is the class of rows that pass no filter.
const hidden class = 0

type classes struct {
	number map[traits]class
	list   []traits
}

func newClasses() classes {
	return classes{number: make(map[traits]class), list: make([]traits, 1)}
}

// of returns the class of a combination, a new one if need be.
func (c *classes) of(t traits) class {
	n, ok := c.number[t]
	if !ok {
		n = class(len(c.list))
		c.number[t] = n
		c.list = append(c.list, t)
	}
	return n
}

// seen decides a filter for every class.
func (c *classes) seen(tenant memory.Tenant, within vector.Filter) []bool {
	seen := make([]bool, len(c.list))
	for n := 1; n < len(c.list); n++ {
		t := &c.list[n]
		seen[n] = within.Sees(tenant, t.scope, t.kind, t.state, t.outcome)
	}
	return seen
}
