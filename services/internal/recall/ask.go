package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const (
	// indexWithin bounds each wait for the index where a spare is set. The wait for the
	// spare is not bounded, because the spare may have to load the tenant first.
	indexWithin = 2 * time.Second
	unbounded   = time.Hour
	// modelWithin bounds the wait for the question's vector: an answer by words now is
	// better than one by meaning after a minute of retries.
	modelWithin = 2 * time.Second
	// switches is how many generations a search tries, because the generation that it
	// opened may be dropped while it searches.
	switches = 3
)

// asked is the answer of an index, with the filter and the query that produced it.
type asked struct {
	lists  vector.Lists
	index  vector.Index
	within vector.Filter
	query  vector.Query
}

// candidates asks the index, or the spare while the index cannot be reached.
func (r *Recall) candidates(ctx context.Context, q Question, depth search.Depth, space *vector.Lists, a *Answer) (asked, error) {
	if r.Spare == nil {
		found, err := r.ask(ctx, unbounded, r.Index, q, depth, space, a)
		return found, failed(err)
	}
	if !r.indexBreaker.skip() {
		found, err := r.ask(ctx, indexWithin, r.Index, q, depth, space, a)
		switch {
		case err == nil:
			r.indexBreaker.record(false)
			return found, nil
		case ctx.Err() != nil:
			return asked{}, failed(ctx.Err())
		case errors.Is(err, vector.ErrNoGeneration):
			a.note("nothing is in the index yet: answered from the database")
			found, err = r.ask(ctx, unbounded, r.Spare, q, depth, space, a)
			return found, failed(err)
		case errors.Is(err, vector.ErrForeign):
			a.note(vector.ErrForeign.Error() + ": answered from the database; winnow index status says what to do")
			found, err = r.ask(ctx, unbounded, r.Spare, q, depth, space, a)
			return found, failed(err)
		case !errors.Is(err, vector.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded):
			return asked{}, failed(err)
		}
		r.indexBreaker.record(true)
		cause, _ := vector.CauseOf(err)
		r.outage.Store(&cause)
	}
	a.note("the index cannot be reached" + r.because() + ": answered from the database")
	found, err := r.ask(ctx, unbounded, r.Spare, q, depth, space, a)
	return found, failed(err)
}

// because returns the cause of the last failure of the index, in parentheses.
func (r *Recall) because() string {
	if cause := r.outage.Load(); cause != nil {
		return " (" + *cause + ")"
	}
	return ""
}

func failed(err error) error {
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// ask opens the serving generation and searches it with a vector of that generation's
// model. Candidates of two generations are never mixed.
func (r *Recall) ask(ctx context.Context, within time.Duration, b vector.Backend, q Question, depth search.Depth, space *vector.Lists, a *Answer) (found asked, err error) {
	found.within = q.within()
	for range switches {
		if found.index, err = serving(ctx, within, b); err != nil {
			return found, err
		}
		// The embedder has a time limit of its own, apart from that of the index.
		found.query = vector.Query{
			Dense: r.embed(ctx, found.index.Generation(), q.Text, a), Terms: r.Analyzer.Query(q.Text), Limit: depth.Candidates, Space: space,
		}
		err = found.search(ctx, within)
		// The generation was dropped or replaced between two requests: another one is
		// active now.
		if !errors.Is(err, vector.ErrNoGeneration) && !errors.Is(err, vector.ErrGeneration) {
			return found, err
		}
	}
	return found, fmt.Errorf("%w: it was replaced %d times", vector.ErrUnavailable, switches)
}

// within returns the filter of a question: its scopes, or the whole tenant.
func (q *Question) within() vector.Filter {
	if len(q.Scopes) > 0 {
		return vector.Within(q.Tenant, q.Scopes...)
	}
	return vector.Everywhere(q.Tenant)
}

func serving(ctx context.Context, within time.Duration, b vector.Backend) (vector.Index, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return b.Serving(ctx)
}

func (f *asked) search(ctx context.Context, within time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	f.lists, err = f.index.Search(ctx, f.within, f.query)
	return err
}

// embed returns the question's vector by the generation's model, or nil where that
// model cannot be called: vectors of two models are never compared.
func (r *Recall) embed(ctx context.Context, g vector.Generation, text string, a *Answer) []float32 {
	switch {
	case g.Dim == 0 && r.Embedder.Dim() > 0:
		a.note("the index has no vectors, because it was made without a model: words alone are compared; run winnow index reembed")
		return nil
	case g.Dim == 0:
		return nil
	case g.Model != r.Embedder.ID():
		a.note("the index was made with another model (" + g.Model + "): words alone are compared; run winnow index reembed")
		return nil
	}
	if !r.modelBreaker.skip() {
		bounded, cancel := context.WithTimeout(ctx, modelWithin)
		defer cancel()
		v, err := r.Embedder.Embed(bounded, []string{text})
		if err == nil {
			r.modelBreaker.record(false)
			return v[0]
		}
		r.modelBreaker.record(ctx.Err() == nil)
	}
	a.note("the model cannot be asked: words alone are compared")
	return nil
}

// narrowed searches again, filtered by kind and outcome, where few of the candidates
// had them: the best of a small kind may rank low among all. It returns both answers
// joined, or nil where there is nothing to ask.
func (f *asked) narrowed(ctx context.Context, q Question, p search.Pool) *vector.Lists {
	if p.Filtered == 0 || len(p.Scored) >= q.Limit {
		return nil
	}
	within := f.within.Kinds(q.Filter.Kinds...)
	if q.Filter.Outcome != "" {
		within = within.Outcomes(q.Filter.Outcome)
	}
	again := f.query
	again.Space = nil // the first answer is in it
	more, err := f.index.Search(ctx, within, again)
	if err != nil {
		return nil // the first answer stands
	}
	return &vector.Lists{
		Dense: joined(f.lists.Dense, more.Dense), Lexical: joined(f.lists.Lexical, more.Lexical),
		Current: f.lists.Current && more.Current,
	}
}

// joined returns both lists as one, each document once. A score does not depend on the
// filter, so both lists give a document the same score.
func joined(a, b []vector.Hit) []vector.Hit {
	all := slices.Concat(a, b)
	slices.SortFunc(all, vector.CompareHits)
	for i := range all {
		all[i].Row = 0 // of two answers: in between a row may have come to hold another document
	}
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(h vector.Hit) bool {
		known := seen[h.ID]
		seen[h.ID] = true
		return known
	})
}
