package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/ops"
)

// State is the state of the similarity index.
type State struct {
	Generation int           `json:"generation"`
	Model      string        `json:"model"`
	Dim        int           `json:"dim"`
	Analyzer   string        `json:"analyzer"`
	Documents  int           `json:"documents"`
	Removed    int           `json:"removed"`           // tombstones
	Behind     time.Duration `json:"behind,omitempty"`  // age of the newest row that the index lacks
	Lacking    bool          `json:"lacking,omitempty"` // memories without a vector exist
	Embedder   string        `json:"embedder"`          // id of the configured embedder
	// Points are the thresholds of that embedder's similarity; nil without a
	// calibration.
	Points  *Points `json:"points,omitempty"`
	Problem string  `json:"problem,omitempty"` // why the index cannot be queried
	Remedy  string  `json:"remedy,omitempty"`  // the operator's remedy
}

// Points are the operating points of a model (D2): cosines, of which
// strictly greater ones count.
type Points struct {
	Calibration string  `json:"calibration"`
	Source      string  `json:"source"`
	Duplicate   float64 `json:"duplicate"`
	Cluster     float64 `json:"cluster"`
	Loose       float64 `json:"loose"`
}

// points returns the points in force for the embedder, nil without any.
func points(ctx context.Context, o *ops.Ops) (*Points, error) {
	c, err := o.Truth.Store.Calibration(ctx, o.Tenant, o.Truth.Embedder.ID())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Points{Calibration: c.ID, Source: c.Source, Duplicate: c.Duplicate, Cluster: c.Cluster, Loose: c.Loose}, nil
}

// Reconciled is the result of reconciling an index with the store.
type Reconciled = vector.Reconciled

// Status returns the serving generation and its progress. An unavailable index
// is not an error, because searches work without it.
func Status(ctx context.Context, o *ops.Ops) (State, error) {
	s := State{Embedder: o.Truth.Embedder.ID()}
	var err error
	if s.Points, err = points(ctx, o); err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	open, err := openIndex(ctx, o)
	switch {
	case errors.Is(err, vector.ErrUnavailable):
		cause, remedy := vector.CauseOf(err)
		s.Problem, s.Remedy = "the index cannot be reached ("+cause+"); searches read the database", remedy
		return s, nil
	case errors.Is(err, vector.ErrForeign):
		s.Problem, s.Remedy = err.Error()+"; searches read the database", "set qdrant.prefix to a name of its own for each installation"
		return s, nil
	case errors.Is(err, vector.ErrNoGeneration):
		s.Problem, s.Remedy = "nothing is indexed yet", "start the index worker, or run winnow index rebuild"
		return s, nil
	case err != nil:
		return s, fmt.Errorf("index status: %w", err)
	}
	g := open.Generation()
	s.Generation, s.Model, s.Dim, s.Analyzer = g.N, g.Model, g.Dim, g.Analyzer
	stats, err := open.Stats(ctx, o.Tenant)
	if err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	s.Documents, s.Removed = stats.Live, stats.Tombstones
	newest, err := newest(ctx, o)
	if err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	s.Behind = max(newest.Sub(stats.Newest), 0)
	if g.Dim == 0 && o.Truth.Embedder.Dim() > 0 {
		s.Problem, s.Remedy = "it was made without a model, so words alone are compared", "winnow index reembed"
		return s, nil
	}
	if g.Model != s.Embedder {
		s.Problem, s.Remedy = "it was made with another model, so words alone are compared", "winnow index reembed"
		return s, nil
	}
	if s.Lacking, err = lacking(ctx, o, g); err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	if s.Lacking {
		s.Problem, s.Remedy = "some memories have no vector yet and are found by words alone", "look whether the model at embed.url answers; winnow index reconcile says why not"
	}
	return s, nil
}

// lacking reports whether a text has no vector of the model yet. A text without
// a word needs none.
func lacking(ctx context.Context, o *ops.Ops, g vector.Generation) (bool, error) {
	if g.Dim == 0 {
		return false, nil
	}
	rows, err := o.Truth.Store.IndexRows(ctx, o.Tenant, store.IndexQuery{Model: g.Model, Lacking: true, Limit: 100})
	return slices.ContainsFunc(rows, func(r store.IndexRow) bool {
		return strings.ContainsFunc(embed.Text(r.Memory), func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
	}), err
}

// newest returns when the last memory was recorded.
func newest(ctx context.Context, o *ops.Ops) (time.Time, error) {
	list, err := o.Store.Memories(ctx, o.Tenant, store.MemoryQuery{Newest: true, Limit: 1})
	if err != nil || len(list) == 0 {
		return time.Time{}, err
	}
	return list[0].CreatedAt, nil
}

func openIndex(ctx context.Context, o *ops.Ops) (vector.Index, error) {
	g, err := o.Index.Active(ctx)
	if err != nil {
		return nil, err
	}
	return o.Index.Open(ctx, g)
}
