package indexing

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Search implements [vector.Searcher]. It computes while it looks: mostly nothing
// has changed, and then the answer is there when Postgres says so. What was
// computed on an index that turns out to be behind is thrown away.
func (x *followed) Search(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	tenant := within.Tenant()
	if tenant == "" {
		return vector.Lists{}, vector.ErrNoTenant
	}
	s := x.follower.of(x.Generation(), tenant)
	// While much is written most guesses would be wrong.
	if before := s.state.Load(); before > 0 && s.calm.Load() {
		lists, err := x.ahead(ctx, within, q)
		if err != nil || s.state.Load() == before {
			return lists, err
		}
		return x.current(ctx, within, q)
	}
	if err := x.catchUp(ctx, tenant, within.Scopes()); err != nil {
		return vector.Lists{}, err
	}
	return x.current(ctx, within, q)
}

// ahead searches the index as it is, and meanwhile brings it to where the scopes
// stand. The answer is current if that changed nothing.
func (x *followed) ahead(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		lists vector.Lists
		err   error
	}
	found := make(chan answer, 1)
	go func() {
		lists, err := x.current(ctx, within, q)
		found <- answer{lists, err}
	}()
	// The look is here and not there: so its question is on the way before this
	// processor begins to compute.
	err := x.catchUp(ctx, within.Tenant(), within.Scopes())
	if err != nil {
		cancel() // one that waits in line need not wait any more
	}
	a := <-found
	if err != nil {
		return vector.Lists{}, err
	}
	return a.lists, a.err
}

// current searches an index that is in step.
func (x *followed) current(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	lists, err := x.Index.Search(ctx, within, q)
	lists.Current = err == nil
	return lists, err
}
