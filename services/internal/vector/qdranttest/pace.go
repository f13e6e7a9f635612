package qdranttest

import (
	"context"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
)

// Paced lets every request take the time that Qdrant 1.19.0 takes for it, so that a test
// sees what a slow request costs a product. The figures were measured on a machine with
// two processors, with 2,560 to 125,000 points of 384 numbers: a guarded write costs
// 0.75 ms by itself and 0.11 ms with others in one request, a hybrid search of 10,000
// points 3.7 ms. As on that machine two requests run at once and others wait.
func Paced() Option {
	return func(o *options) { o.slots = make(chan struct{}, 2) }
}

// paced runs a request no faster than its figure. Without [Paced] it only runs it.
func (s *Server) paced(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if s.options.slots == nil {
		return handle(ctx, request)
	}
	select {
	case s.options.slots <- struct{}{}:
		defer func() { <-s.options.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	began := time.Now()
	reply, err := handle(ctx, request)
	timer := time.NewTimer(s.state.cost(request, reply) - time.Since(began))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return reply, err
}

// The figures, for an empty collection and for what each full points more add. They
// are straight lines through the measurements at 2,560 and 125,000 points.
const (
	full = 125_000

	guardCost, guardFull     = 640 * time.Microsecond, 720 * time.Microsecond // for each operation with a guard
	guardedCost, guardedFull = 112 * time.Microsecond, 130 * time.Microsecond // for each of its points
	freeCost, freeFull       = 80 * time.Microsecond, 34 * time.Microsecond   // for each point without a guard
	listFull                 = 9500 * time.Microsecond                        // for each list of a search
	fieldCost                = 1200 * time.Nanosecond                         // for each field of a payload that is returned
	otherCost                = 1250 * time.Microsecond                        // for anything else
)

// cost returns how long Qdrant takes for a request.
func (s *state) cost(request, reply any) time.Duration {
	switch r := request.(type) {
	case *qdrant.UpsertPoints:
		return s.write(r.CollectionName, len(r.Points), r.UpdateFilter != nil, r.UpdateMode != nil)
	case *qdrant.UpdateBatchPoints:
		var sum time.Duration
		for _, operation := range r.Operations {
			u := operation.GetUpsert()
			sum += s.write(r.CollectionName, len(u.GetPoints()), u.GetUpdateFilter() != nil, u.GetUpdateMode() != 0)
		}
		return sum
	case *qdrant.QueryBatchPoints:
		took := time.Duration(len(r.QueryPoints)) * part(listFull, s.size(r.CollectionName))
		for _, list := range reply.(*qdrant.QueryBatchResponse).GetResult() {
			for _, p := range list.Result {
				took += time.Duration(len(p.Payload)) * fieldCost
			}
		}
		return took
	case *qdrant.ScrollPoints:
		took := otherCost
		for _, p := range reply.(*qdrant.ScrollResponse).GetResult() {
			took += time.Duration(len(p.Payload)) * fieldCost
		}
		return took
	}
	return otherCost
}

// write returns the cost of one operation. A write that only inserts waits for those
// before it, as a guarded one does, and compares nothing but ids.
func (s *state) write(collection string, points int, guarded, inserts bool) time.Duration {
	size := s.size(collection)
	each, took := freeCost+part(freeFull, size), time.Duration(0)
	if guarded {
		each = guardedCost + part(guardedFull, size)
	}
	if guarded || inserts {
		took = guardCost + part(guardFull, size)
	}
	return took + time.Duration(points)*each
}

// part returns the share of a figure that a collection of this size adds.
func part(figure time.Duration, size int) time.Duration {
	return figure * time.Duration(size) / full
}

// size returns how many points a collection has.
func (s *state) size(name string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.find(name)
	if err != nil {
		return 0
	}
	return len(c.points)
}
