package vector

import (
	"fmt"
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// maxVersion is the limit up to which a float64 counts exactly.
const maxVersion = 1 << 53

// unitSlack is the allowed distance of a squared length from 1: the rounding of a
// vector that was scaled before.
const unitSlack = 1e-6

// Unit returns v scaled to length 1, or v itself where it has that length. The error is
// ErrDimension unless v has dim values, ErrVector when it has no direction.
func Unit(v []float32, dim int) ([]float32, error) {
	if len(v) != dim {
		return nil, fmt.Errorf("%w: %d values, the generation has %d", ErrDimension, len(v), dim)
	}
	var square float64
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%w: value %d is %v", ErrVector, i, x)
		}
		square += float64(x) * float64(x)
	}
	// Below this a float32 has too few bits left for a direction.
	if square < 1e-60 {
		return nil, fmt.Errorf("%w: its length is zero", ErrVector)
	}
	if math.Abs(square-1) < unitSlack {
		return v, nil
	}
	unit := make([]float32, dim)
	scale := 1 / math.Sqrt(square)
	for i, x := range v {
		unit[i] = float32(float64(x) * scale)
	}
	return unit, nil
}

// CheckGeneration returns ErrInvalid for a generation that cannot be created.
func CheckGeneration(g Generation) error {
	if g.N < 1 || g.Dim < 0 || g.Dim > 65536 || g.Model == "" || g.AvgLen < 0 {
		return fmt.Errorf("%w: generation %+v wants a number from 1, a model and a dimension", ErrInvalid, g)
	}
	return nil
}

// Same reports whether documents of the two generations can be compared.
func (g Generation) Same(o Generation) bool {
	return g.N == o.N && g.Model == o.Model && g.Dim == o.Dim && g.Analyzer == o.Analyzer
}

// Prepare checks documents and returns them as drivers store them: vectors of unit
// length, tombstones without vectors, each id once at its greatest version. The input
// is not changed. Every driver calls it, so that all refuse the same.
func Prepare(g Generation, docs []Doc) ([]Doc, error) {
	ready := slices.Clone(docs)
	for i := range ready {
		if err := prepare(g, &ready[i]); err != nil {
			return nil, fmt.Errorf("document %s: %w", docs[i].ID, err)
		}
	}
	return newest(ready), nil
}

// newest returns each id once, at its first place and with its greatest version.
func newest(docs []Doc) []Doc {
	ordered := true // like a page of rows, which has each id once
	for i := 1; i < len(docs) && ordered; i++ {
		ordered = docs[i-1].Tenant == docs[i].Tenant && docs[i-1].ID < docs[i].ID
	}
	if ordered {
		return docs
	}
	type key struct {
		tenant memory.Tenant
		id     string
	}
	at := make(map[key]int, len(docs))
	kept := docs[:0]
	for _, d := range docs {
		k := key{d.Tenant, d.ID}
		if n, known := at[k]; !known {
			at[k] = len(kept)
			kept = append(kept, d)
		} else if d.Version > kept[n].Version {
			kept[n] = d
		}
	}
	return kept
}

// prepare changes a document to its stored form.
func prepare(g Generation, d *Doc) error {
	if _, err := PointOf(d.ID); err != nil {
		return err
	}
	if d.Tenant == "" {
		return ErrNoTenant
	}
	if d.Version <= 0 || d.Version >= maxVersion {
		return fmt.Errorf("%w: version %d, want above 0 and below 2^53", ErrInvalid, d.Version)
	}
	if d.UpdatedAt.IsZero() {
		return fmt.Errorf("%w: a document wants the time of its last update", ErrInvalid)
	}
	if d.Deleted {
		*d = Doc{ID: d.ID, Tenant: d.Tenant, Version: d.Version, UpdatedAt: d.UpdatedAt, Deleted: true}
		return nil
	}
	if d.Scope == "" || d.State == "" {
		return fmt.Errorf("%w: a document wants a scope and a state", ErrInvalid)
	}
	if d.Dense != nil {
		unit, err := Unit(d.Dense, g.Dim)
		if err != nil {
			return err
		}
		d.Dense = unit
	}
	return checkTerms(d.Terms)
}

func checkTerms(s Sparse) error {
	if len(s.Tokens) != len(s.Weights) {
		return fmt.Errorf("%w: %d tokens with %d weights", ErrInvalid, len(s.Tokens), len(s.Weights))
	}
	for i, w := range s.Weights {
		if !(w > 0) || math.IsInf(float64(w), 0) {
			return fmt.Errorf("%w: token %d weighs %v", ErrInvalid, s.Tokens[i], w)
		}
		if i > 0 && s.Tokens[i] <= s.Tokens[i-1] {
			return fmt.Errorf("%w: tokens must ascend", ErrInvalid)
		}
	}
	return nil
}

// PrepareQuery checks a filter and a query and returns the query as drivers run it: the
// vector of unit length, each token once, ascending.
func PrepareQuery(g Generation, within Filter, q Query) (Query, error) {
	if err := within.Check(); err != nil {
		return q, err
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, fmt.Errorf("%w: limit %d, want 1 to %d", ErrInvalid, q.Limit, MaxLimit)
	}
	if q.Dense != nil {
		unit, err := Unit(q.Dense, g.Dim)
		if err != nil {
			return q, err
		}
		q.Dense = unit
	}
	q.Terms = slices.Clone(q.Terms)
	slices.Sort(q.Terms)
	q.Terms = slices.Compact(q.Terms)
	return q, nil
}

// PrepareNear is [PrepareQuery] for [Searcher.Near].
func PrepareNear(g Generation, within Filter, v []float32, min float64, limit int) ([]float32, error) {
	if math.IsNaN(min) {
		return nil, fmt.Errorf("%w: the least cosine is no number", ErrInvalid)
	}
	if v == nil {
		return nil, fmt.Errorf("%w: no values", ErrDimension)
	}
	q, err := PrepareQuery(g, within, Query{Dense: v, Limit: limit})
	return q.Dense, err
}

// PrepareVersions checks the arguments of [Index.Versions] and returns the point to
// start after, zero at the start.
func PrepareVersions(tenant memory.Tenant, after string, limit int) (Point, error) {
	if tenant == "" {
		return Point{}, ErrNoTenant
	}
	if limit < 1 || limit > MaxLimit {
		return Point{}, fmt.Errorf("%w: limit %d, want 1 to %d", ErrInvalid, limit, MaxLimit)
	}
	if after == "" {
		return Point{}, nil
	}
	return PointOf(after)
}
