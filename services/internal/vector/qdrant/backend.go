package qdrant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Backend stores generations on a Qdrant server. Safe for concurrent use.
type Backend struct {
	config  Config
	client  *qdrant.Client
	closed  atomic.Bool
	checked atomic.Bool // the server's version is new enough
	// known is the generation that served when Serving last asked; nil when that is no
	// longer known.
	known atomic.Pointer[remembered]
}

var _ vector.Backend = (*Backend)(nil)

// New returns a backend. It does not wait for the server: calls return ErrUnavailable
// while the server is down.
func New(config Config) (*Backend, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("qdrant: %w", err)
	}
	client, err := config.dial()
	if err != nil {
		return nil, fmt.Errorf("qdrant: %w", err)
	}
	return &Backend{config: config, client: client}, nil
}

// read runs one request under the read timeout and maps its error. A request whose
// connection is lost meanwhile runs once more, on a new one.
func (b *Backend) read(ctx context.Context, operation string, request func(context.Context) error) error {
	return b.call(ctx, operation, b.config.ReadTimeout, func(ctx context.Context) error {
		err := request(ctx)
		if lost(err) && ctx.Err() == nil {
			err = request(ctx)
		}
		return err
	})
}

// write is read for requests that change something; they run once.
func (b *Backend) write(ctx context.Context, operation string, request func(context.Context) error) error {
	return b.call(ctx, operation, b.config.WriteTimeout, request)
}

func (b *Backend) call(ctx context.Context, operation string, timeout time.Duration, request func(context.Context) error) error {
	if b.closed.Load() {
		return fmt.Errorf("%s: %w: closed", operation, vector.ErrUnavailable)
	}
	if err := b.checkVersion(ctx); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return b.mapped(ctx, operation, request(bounded))
}

// oldestMinor is the first 1.x server that knows every field that the driver sends.
// Guarded writes came with 1.16, and word frequencies by tenant with 1.19: an older
// server would silently ignore either.
const oldestMinor = 19

// checkVersion asks the server once.
func (b *Backend) checkVersion(ctx context.Context) error {
	if b.checked.Load() {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, b.config.ReadTimeout)
	defer cancel()
	reply, err := b.client.HealthCheck(bounded)
	if err != nil {
		return b.mapped(ctx, "ask for the version", err)
	}
	if !recent(reply.GetVersion()) {
		return &vector.Outage{
			Cause:  "Qdrant " + reply.GetVersion() + " is too old",
			Remedy: fmt.Sprintf("update it to 1.%d or newer", oldestMinor),
			Err:    fmt.Errorf("it ignores guarded writes or tenants' word counts; want 1.%d or newer", oldestMinor),
		}
	}
	b.checked.Store(true)
	return nil
}

// recent reports whether a version, such as 1.19.0 or 1.20.1-dev, is new enough.
func recent(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (major > 1 || major == 1 && minor >= oldestMinor)
}

// Create implements [vector.Backend]. An interrupted creation is completed by the next
// call.
func (b *Backend) Create(ctx context.Context, g vector.Generation) error {
	if err := vector.CheckGeneration(g); err != nil {
		return err
	}
	err := b.write(ctx, "create collection", func(ctx context.Context) error {
		err := b.client.CreateCollection(ctx, b.collection(g))
		if status.Code(err) == codes.AlreadyExists {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := b.check(ctx, g); err != nil {
		return err
	}
	return b.mapped(ctx, "create collection", b.indexes(ctx, g))
}

// check returns nil when the generation exists as given.
func (b *Backend) check(ctx context.Context, g vector.Generation) error {
	have, err := b.describe(ctx, b.name(g.N))
	if err != nil {
		return err
	}
	if !have.Same(g) {
		return fmt.Errorf("%w: it is %+v, asked for %+v", vector.ErrGeneration, have, g)
	}
	return nil
}

// Open implements [vector.Backend].
func (b *Backend) Open(ctx context.Context, g vector.Generation) (vector.Index, error) {
	if err := b.check(ctx, g); err != nil {
		return nil, err
	}
	return &index{backend: b, generation: g, collection: b.name(g.N)}, nil
}

// Generations implements [vector.Backend].
func (b *Backend) Generations(ctx context.Context) ([]vector.Generation, error) {
	var numbers []int
	err := b.read(ctx, "list collections", func(ctx context.Context) error {
		names, err := b.client.ListCollections(ctx)
		for _, name := range names {
			if n, ours := b.numberOf(name); ours {
				numbers = append(numbers, n)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	all := make([]vector.Generation, 0, len(numbers))
	for _, n := range numbers {
		g, err := b.describe(ctx, b.name(n))
		if errors.Is(err, vector.ErrNoGeneration) {
			continue // dropped meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// Drop implements [vector.Backend].
func (b *Backend) Drop(ctx context.Context, g vector.Generation) error {
	err := b.check(ctx, g)
	if errors.Is(err, vector.ErrNoGeneration) {
		return nil
	}
	if err != nil {
		return err
	}
	serving, _, err := b.serving(ctx)
	if err != nil {
		return err
	}
	if serving == b.name(g.N) {
		return fmt.Errorf("%w: generation %d serves", vector.ErrInvalid, g.N)
	}
	b.known.Store(nil)
	return b.write(ctx, "drop collection", func(ctx context.Context) error {
		return b.client.DeleteCollection(ctx, b.name(g.N))
	})
}

// Ready implements [vector.Backend].
func (b *Backend) Ready(ctx context.Context) error {
	return b.read(ctx, "health check", func(ctx context.Context) error {
		_, err := b.client.HealthCheck(ctx)
		return err
	})
}

// Close implements [vector.Backend].
func (b *Backend) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	return b.client.Close()
}
