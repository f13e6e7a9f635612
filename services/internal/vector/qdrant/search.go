package qdrant

import (
	"context"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// slack is how many points beyond the limit are asked for, to see ties at the cut.
const slack = 16

// rounding is how far two equal scores of Qdrant may differ.
const rounding = 1e-6

// Search implements [vector.Searcher]. Both lists travel in one request.
func (x *index) Search(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	var lists vector.Lists
	q, err := vector.PrepareQuery(x.generation, within, q)
	if err != nil {
		return lists, err
	}
	var requests []*qdrant.QueryPoints
	var into []*[]vector.Hit
	if q.Dense != nil {
		request, err := x.dense(within, q.Dense)
		if err != nil {
			return lists, err
		}
		requests, into = append(requests, request), append(into, &lists.Dense)
	}
	if len(q.Terms) > 0 {
		request, err := x.lexical(within, q.Terms)
		if err != nil {
			return lists, err
		}
		requests, into = append(requests, request), append(into, &lists.Lexical)
	}
	if len(requests) == 0 {
		return lists, ctx.Err()
	}
	found, err := x.ask(ctx, q.Limit, requests)
	if err != nil {
		return lists, err
	}
	for i, points := range found {
		hits := make([]vector.Hit, len(points))
		for j, p := range points {
			hits[j] = hitOf(p, float64(p.GetScore()))
		}
		slices.SortFunc(hits, vector.CompareHits)
		*into[i] = hits[:min(q.Limit, len(hits))]
	}
	return lists, nil
}

// Near implements [vector.Searcher]. Qdrant's cosines are float32, so it is asked for
// points slightly below the minimum, and each cosine is computed again from the stored
// vector.
func (x *index) Near(ctx context.Context, within vector.Filter, v []float32, least float64, limit int) ([]vector.Hit, error) {
	unit, err := vector.PrepareNear(x.generation, within, v, least, limit)
	if err != nil {
		return nil, err
	}
	request, err := x.dense(within, unit)
	if err != nil {
		return nil, err
	}
	if least > -1 {
		request.ScoreThreshold = qdrant.PtrOf(float32(least - vector.Margin))
	}
	request.Params = &qdrant.SearchParams{
		Exact:        qdrant.PtrOf(true),
		Quantization: &qdrant.QuantizationSearchParams{Ignore: qdrant.PtrOf(true)},
	}
	request.WithPayload = qdrant.NewWithPayloadInclude(fieldID, fieldVersion, fieldScope, fieldKind, fieldState, fieldOutcome, fieldSuccessor, fieldHash)
	request.WithVectors = qdrant.NewWithVectorsInclude(denseVector)
	found, err := x.ask(ctx, limit, []*qdrant.QueryPoints{request})
	if err != nil {
		return nil, err
	}
	var hits []vector.Hit
	for _, p := range found[0] {
		kept := denseOf(p)
		if len(kept) != len(unit) {
			return nil, fmt.Errorf("point %s: %w: it came without its vector", p.GetId().GetUuid(), vector.ErrUnavailable)
		}
		if cosine := vector.Cosine(unit, kept); cosine > least {
			hits = append(hits, hitOf(p, cosine))
		}
	}
	slices.SortFunc(hits, vector.CompareHits)
	return hits[:min(limit, len(hits))], nil
}

// dense returns the query for the nearest by meaning.
func (x *index) dense(within vector.Filter, unit []float32) (*qdrant.QueryPoints, error) {
	filter, err := visible(within)
	return &qdrant.QueryPoints{
		CollectionName: x.collection, Query: qdrant.NewQueryDense(unit), Using: qdrant.PtrOf(denseVector),
		Filter: filter, WithPayload: shown(),
	}, err
}

// lexical returns the query for the nearest by words. Document frequencies are counted
// over the tenant: those of the collection would let one tenant's texts change
// another's ranking.
func (x *index) lexical(within vector.Filter, tokens []uint32) (*qdrant.QueryPoints, error) {
	filter, err := visible(within)
	if err != nil {
		return nil, err
	}
	corpus, err := ofTenant(within.Tenant())
	if err != nil {
		return nil, err
	}
	weights := make([]float32, len(tokens))
	for i := range weights {
		weights[i] = 1
	}
	return &qdrant.QueryPoints{
		CollectionName: x.collection, Query: qdrant.NewQuerySparse(tokens, weights), Using: qdrant.PtrOf(sparseVector),
		Filter: filter, WithPayload: shown(),
		Params: &qdrant.SearchParams{Idf: &qdrant.IdfParams{Corpus: corpus}},
	}, nil
}

// shown are the payload fields of a hit that decide about its rank. Payload is two
// thirds of what a search costs the server, each field of each hit.
func shown() *qdrant.WithPayloadSelector {
	return qdrant.NewWithPayloadInclude(fieldID, fieldScope, fieldKind, fieldState, fieldSuccessor)
}

// ask runs requests that each want limit points, and asks for more of those where a tie
// may continue beyond the result: among equal scores Qdrant chooses freely, and the
// choice must be by id. The other lists are not read again: cosines are seldom equal,
// and the scores of a common word often are.
func (x *index) ask(ctx context.Context, limit int, requests []*qdrant.QueryPoints) ([][]*qdrant.ScoredPoint, error) {
	found := make([][]*qdrant.ScoredPoint, len(requests))
	open := make([]int, len(requests)) // places in requests
	for i := range open {
		open[i] = i
	}
	for asked := limit + slack; ; asked *= 2 {
		asked = min(asked, maxAsked)
		points := make([]*qdrant.QueryPoints, len(open))
		for i, at := range open {
			points[i] = requests[at]
			points[i].Limit = qdrant.PtrOf(uint64(asked))
		}
		err := x.backend.read(ctx, "search", func(ctx context.Context) error {
			results, err := x.backend.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{
				CollectionName: x.collection, QueryPoints: points,
			})
			if err == nil && len(results) != len(points) {
				return fmt.Errorf("%d answers to %d queries", len(results), len(points))
			}
			for i, r := range results {
				found[open[i]] = r.GetResult()
			}
			return err
		})
		if err != nil {
			// It may have been dropped, or another may have its number.
			x.backend.known.Store(nil)
			return nil, err
		}
		open = slices.DeleteFunc(open, func(at int) bool {
			points := found[at]
			return len(points) < asked || points[asked-1].GetScore() < points[limit-1].GetScore()-rounding
		})
		if len(open) == 0 || asked == maxAsked {
			return found, nil
		}
	}
}

// denseOf returns a point's vector. Servers of one minor version apart fill in either
// the new field or the old.
func denseOf(p *qdrant.ScoredPoint) []float32 {
	v := p.GetVectors().GetVectors().GetVectors()[denseVector]
	if data := v.GetDense().GetData(); len(data) > 0 {
		return data
	}
	return v.GetData() //nolint:staticcheck // deprecated, and still what older servers send
}

func hitOf(p *qdrant.ScoredPoint, score float64) vector.Hit {
	text := func(field string) string { return p.Payload[field].GetStringValue() }
	return vector.Hit{
		ID: text(fieldID), Score: score, Version: p.Payload[fieldVersion].GetIntegerValue(),
		Scope: memory.Scope(text(fieldScope)), Kind: memory.Kind(text(fieldKind)), State: vector.State(text(fieldState)),
		Outcome: text(fieldOutcome), Successor: text(fieldSuccessor), ContentHash: text(fieldHash),
	}
}
