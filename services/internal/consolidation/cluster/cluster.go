package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Item is a memory that may be grouped.
type Item struct {
	ID string // unique; orders ties
	// Hash identifies the text: items of one hash are copies. Empty: unknown.
	Hash string
	// Vector is the embedding, of one dimension for all items and of any length but
	// zero; nil for none. An item without a vector can only be in a group with its
	// copies.
	Vector []float32
}

// Config sets when items are similar and how large a group may be.
type Config struct {
	// Threshold is the cosine above which two items are similar, strictly (D1).
	Threshold float64
	// Duplicate is the cosine from which on an item is a copy of another.
	Duplicate float64
	// MaxMembers bounds a group, copies not counted: one synthesis reads that many
	// texts.
	MaxMembers int
	// MaxPairs bounds the memory used. Where more pairs are similar, the threshold is
	// raised until they fit, and the result reports that.
	MaxPairs int
}

// DefaultConfig returns the configuration for a threshold, which belongs to an
// embedding model (D2).
func DefaultConfig(threshold float64) Config {
	return Config{Threshold: threshold, Duplicate: 0.97, MaxMembers: 20, MaxPairs: 2_000_000}
}

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if !(c.Threshold >= -1 && c.Threshold < 1) {
		errs = append(errs, fmt.Errorf("threshold is %v, want -1 to below 1", c.Threshold))
	}
	if !(c.Duplicate > c.Threshold) {
		errs = append(errs, fmt.Errorf("duplicate is %v, want above the threshold", c.Duplicate))
	}
	if c.MaxMembers < 2 || c.MaxPairs < 1 {
		errs = append(errs, errors.New("a group wants room for two members and one pair"))
	}
	return errors.Join(errs...)
}

// Member is one text of a group.
type Member struct {
	Item int // index into the items given
	// Copies are the items with the same text: of an equal hash, or at least Duplicate
	// similar to this one. By id.
	Copies []int
}

// Group is a set of similar texts: two members or more, or one with copies.
type Group struct {
	Members []Member // by id
}

// Items returns the indexes of all items of the group, members before copies.
func (g Group) Items() []int {
	var all []int
	for _, m := range g.Members {
		all = append(all, m.Item)
	}
	for _, m := range g.Members {
		all = append(all, m.Copies...)
	}
	return all
}

// Result is the groups found.
type Result struct {
	Groups []Group // by the id of their first member
	// Threshold is the threshold in effect: that of the configuration, or a higher one
	// where there were more than MaxPairs.
	Threshold float64
	Pairs     int // similar pairs among texts that are no copies
}

// Find groups items by complete link: of all pairs of groups whose members are
// all similar the most similar two merge first, by their least similar members,
// ties by id. The groups do not depend on the order of the items.
//
// Time grows with the square of the number of items, memory with the number of items
// and of similar pairs. The error is that of the context, or of invalid input.
func Find(ctx context.Context, items []Item, c Config) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, fmt.Errorf("cluster: %w", err)
	}
	texts, pairs, used, err := gather(ctx, items, c)
	if err != nil {
		return Result{}, fmt.Errorf("compare: %w", err)
	}
	result := Result{Threshold: used, Pairs: len(pairs)}
	linked, err := completeLink(ctx, len(texts), pairs, c.MaxMembers)
	if err != nil {
		return Result{}, err
	}
	for _, members := range linked {
		if group, ok := groupOf(members, texts); ok {
			result.Groups = append(result.Groups, group)
		}
	}
	return result, nil
}

// byID returns the indexes of the items in the order of their ids.
func byID(items []Item) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareIDs(items, a, b) })
	return order
}

// groupOf returns a group of texts; a single text without copies makes none.
func groupOf(members []int32, texts []text) (Group, bool) {
	if len(members) == 1 && len(texts[members[0]].copies) == 0 {
		return Group{}, false
	}
	group := Group{Members: make([]Member, len(members))}
	for i, m := range members {
		group.Members[i] = Member{Item: texts[m].item, Copies: texts[m].copies}
	}
	return group, true
}
