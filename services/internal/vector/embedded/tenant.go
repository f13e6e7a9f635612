package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// generation holds the tenants of one generation. The backend's lock guards it.
type generation struct {
	vector.Generation
	dropped bool
	tenants map[memory.Tenant]*loaded
}

func newGeneration(g vector.Generation) *generation {
	return &generation{Generation: g, tenants: make(map[memory.Tenant]*loaded)}
}

// loaded is a tenant in memory, or being loaded.
type loaded struct {
	shard *shard
	done  chan struct{} // closed when loading has ended
	err   error         // why it failed; read after done
	used  int64         // the backend's clock at the last use
	bytes int64         // as of the last use
}

// tenant returns a tenant's shard, loading it if need be. Concurrent callers wait for
// the one that loads. Where only is set and the tenant is not in memory, it returns nil
// instead of loading.
func (b *Backend) tenant(ctx context.Context, g *generation, name memory.Tenant, only bool) (*shard, error) {
	for {
		entry, mine, err := b.claim(g, name, only)
		if err != nil || entry == nil {
			return nil, err
		}
		if mine {
			entry.err = b.load(ctx, g, name, entry.shard)
			b.settle(g, name, entry)
			close(entry.done)
		}
		select {
		case <-entry.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// Another caller's deadline does not end this one, which loads anew.
		if !mine && (errors.Is(entry.err, context.Canceled) || errors.Is(entry.err, context.DeadlineExceeded)) {
			continue
		}
		return entry.shard, entry.err
	}
}

// claim finds a tenant's entry, or makes one that the caller must load.
func (b *Backend) claim(g *generation, name memory.Tenant, only bool) (entry *loaded, mine bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, false, vector.ErrUnavailable
	}
	if g.dropped {
		return nil, false, fmt.Errorf("%w: %d was dropped", vector.ErrNoGeneration, g.N)
	}
	b.clock++
	if entry, ok := g.tenants[name]; ok {
		entry.used = b.clock
		return entry, false, nil
	}
	// Without a source there is nothing to load later: what is put must stay.
	if only && b.source != nil {
		return nil, false, nil
	}
	entry = &loaded{shard: newShard(name, g.Dim), done: make(chan struct{}), used: b.clock}
	g.tenants[name] = entry
	return entry, true, nil
}

// load reads a tenant from the source. While a page is put in its place the next
// one is read.
func (b *Backend) load(ctx context.Context, g *generation, name memory.Tenant, s *shard) error {
	if b.source == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan loadedPage, 1)
	var reading sync.WaitGroup
	reading.Go(func() { b.pages(ctx, g, name, pages) })
	defer reading.Wait()
	defer cancel()
	for page := range pages {
		err := page.err
		var ready []vector.Doc
		if err == nil {
			ready, err = vector.Prepare(g.Generation, page.docs)
		}
		if err != nil {
			return fmt.Errorf("load tenant %s: %w", name, err)
		}
		s.put(ready)
	}
	// The pages may have ended with the caller's context.
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load tenant %s: %w", name, err)
	}
	return nil
}

// loadedPage is one page of the source.
type loadedPage struct {
	docs []vector.Doc
	err  error
}

// pages sends a tenant page by page, the last with an error if there was one,
// until ctx ends.
func (b *Backend) pages(ctx context.Context, g *generation, name memory.Tenant, to chan<- loadedPage) {
	defer close(to)
	for after := ""; ; {
		docs, err := b.source(ctx, g.Generation, name, after)
		if err == nil && len(docs) == 0 {
			return
		}
		select {
		case to <- loadedPage{docs, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		after = docs[len(docs)-1].ID
	}
}

// settle removes a tenant that could not be loaded, and evicts others for one that
// could.
func (b *Backend) settle(g *generation, name memory.Tenant, entry *loaded) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if entry.err != nil {
		delete(g.tenants, name)
		return
	}
	entry.bytes = entry.shard.size()
	b.evict(entry)
}

// grown records a tenant's size after a write.
func (b *Backend) grown(g *generation, name memory.Tenant, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if entry, ok := g.tenants[name]; ok {
		entry.bytes = bytes
		b.evict(entry)
	}
}

// evict removes tenants, least recently used first, until the rest fit. The one just
// used (keep) stays. Searches that run on an evicted tenant end undisturbed. The caller
// holds the lock.
func (b *Backend) evict(keep *loaded) {
	if b.source == nil {
		return
	}
	for {
		var total int64
		var oldest *loaded
		var forget func()
		for _, g := range b.generations {
			for name, entry := range g.tenants {
				total += entry.bytes
				if entry != keep && entry.bytes > 0 && (oldest == nil || entry.used < oldest.used) {
					oldest, forget = entry, func() { delete(g.tenants, name) }
				}
			}
		}
		if total <= b.config.MaxBytes || oldest == nil {
			return
		}
		forget()
	}
}
