package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Config are the settings of the embedded index.
type Config struct {
	// MaxBytes is how much memory loaded tenants may use together before the least
	// recently used is evicted. One tenant always stays, at any size.
	MaxBytes int64
	// Scans is how many passes over vectors run at once; searches queue meanwhile and
	// share the next.
	Scans int
}

// DefaultConfig has memory for about four hundred thousand memories of 256 dimensions.
func DefaultConfig() Config {
	return Config{MaxBytes: 1 << 30, Scans: runtime.GOMAXPROCS(0)}
}

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if c.MaxBytes < 1 {
		errs = append(errs, fmt.Errorf("max_bytes is %d, want at least 1", c.MaxBytes))
	}
	if c.Scans < 1 {
		errs = append(errs, fmt.Errorf("scans is %d, want at least 1", c.Scans))
	}
	return errors.Join(errs...)
}

// Backend stores generations in memory. Which of them is active is not persisted: at
// start the process creates and activates the generation that Postgres names.
type Backend struct {
	config Config
	source vector.Source // nil: the index is only what was put
	scans  chan struct{} // one token for each running pass; waiters are served in order
	sums   sync.Pool     // of *sums

	mu          sync.Mutex
	closed      bool
	generations map[int]*generation
	active      int // 0: none
	clock       int64
}

var _ vector.Backend = (*Backend)(nil)

// New returns an empty backend that reads tenants from source. With a nil source
// nothing is loaded and nothing evicted: the index is only what was put.
func New(config Config, source vector.Source) (*Backend, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("embedded index: %w", err)
	}
	return &Backend{
		config: config, source: source, scans: make(chan struct{}, config.Scans),
		sums:        sync.Pool{New: func() any { return new(sums) }},
		generations: make(map[int]*generation),
	}, nil
}

// Create implements [vector.Backend].
func (b *Backend) Create(_ context.Context, g vector.Generation) error {
	if err := vector.CheckGeneration(g); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return vector.ErrUnavailable
	}
	if have, ok := b.generations[g.N]; ok {
		return compatible(have.Generation, g)
	}
	b.generations[g.N] = newGeneration(g)
	return nil
}

func compatible(have, want vector.Generation) error {
	if !have.Same(want) {
		return fmt.Errorf("%w: it is %+v, asked for %+v", vector.ErrGeneration, have, want)
	}
	return nil
}

// find returns a generation. The caller holds the lock.
func (b *Backend) find(g vector.Generation) (*generation, error) {
	if b.closed {
		return nil, vector.ErrUnavailable
	}
	have, ok := b.generations[g.N]
	if !ok {
		return nil, fmt.Errorf("%w: %d", vector.ErrNoGeneration, g.N)
	}
	return have, compatible(have.Generation, g)
}

// Open implements [vector.Backend].
func (b *Backend) Open(_ context.Context, g vector.Generation) (vector.Index, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, err := b.find(g)
	if err != nil {
		return nil, err
	}
	return &index{backend: b, generation: have}, nil
}

// Activate implements [vector.Backend].
func (b *Backend) Activate(_ context.Context, g vector.Generation) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.find(g); err != nil {
		return err
	}
	b.active = g.N
	return nil
}

// Active implements [vector.Backend].
func (b *Backend) Active(context.Context) (vector.Generation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return vector.Generation{}, vector.ErrUnavailable
	}
	if b.active == 0 {
		return vector.Generation{}, fmt.Errorf("%w: none is active", vector.ErrNoGeneration)
	}
	return b.generations[b.active].Generation, nil
}

// Serving implements [vector.Backend]. Its answer is never old.
func (b *Backend) Serving(ctx context.Context) (vector.Index, error) {
	g, err := b.Active(ctx)
	if err != nil {
		return nil, err
	}
	return b.Open(ctx, g)
}

// Generations implements [vector.Backend].
func (b *Backend) Generations(context.Context) ([]vector.Generation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, vector.ErrUnavailable
	}
	all := make([]vector.Generation, 0, len(b.generations))
	for g := range maps.Values(b.generations) {
		all = append(all, g.Generation)
	}
	slices.SortFunc(all, func(a, b vector.Generation) int { return cmp.Compare(a.N, b.N) })
	return all, nil
}

// Drop implements [vector.Backend].
func (b *Backend) Drop(_ context.Context, g vector.Generation) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	have, err := b.find(g)
	if errors.Is(err, vector.ErrNoGeneration) {
		return nil
	}
	if err != nil {
		return err
	}
	if b.active == g.N {
		return fmt.Errorf("%w: generation %d serves", vector.ErrInvalid, g.N)
	}
	have.dropped = true
	clear(have.tenants)
	delete(b.generations, g.N)
	return nil
}

// Ready implements [vector.Backend].
func (b *Backend) Ready(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return vector.ErrUnavailable
	}
	return nil
}

// Close implements [vector.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	clear(b.generations)
	b.active = 0
	return nil
}
