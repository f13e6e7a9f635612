// Package together sends what several callers ask at the same time as one question.
//
// Most of a small read is the statement, not its rows: a caller that comes while others are
// read waits for the end of a read, and all that came meanwhile are read at once. No answer is
// older than its question, and a caller that is alone is read as before.
package together

import (
	"context"
	"sync"
	"time"
)

const (
	// most bounds the callers of one read; more read alone.
	most = 64
	// atOnce is how many reads of a key run. With one, all wait where a single read is slow,
	// and processors are idle; each more has fewer callers in a read.
	atOnce = 2
	// within bounds a read of several callers, which ends with none of them.
	within = 10 * time.Second
)

// Calls are questions of one kind. The zero value is ready; safe for concurrent use.
type Calls[Q, A any] struct {
	mu    sync.Mutex
	lanes map[string]*lane[Q, A] // of keys of which a read runs
}

// lane is what happens of a key.
type lane[Q, A any] struct {
	running int
	next    *group[Q, A] // what waits, nil for nothing
}

// group is what one read asks.
type group[Q, A any] struct {
	questions []Q
	answers   []A
	err       error
	done      chan struct{} // closed at the end of the read
}

// Do returns the answer to a question from read, which answers a list of questions of one
// key, in their order: of one tenant, whose rows are all that a read sees. Where a read of
// several callers fails, each reads alone, so that no question fails for another one. The
// error is that of read or of ctx.
func (c *Calls[Q, A]) Do(ctx context.Context, key string, q Q, read func(context.Context, []Q) ([]A, error)) (A, error) {
	c.mu.Lock()
	l := c.lanes[key]
	if l == nil {
		if c.lanes == nil {
			c.lanes = map[string]*lane[Q, A]{}
		}
		l = &lane[Q, A]{}
		c.lanes[key] = l
	}
	if l.running < atOnce {
		l.running++
		c.mu.Unlock()
		defer c.follow(ctx, key, l, read)
		return alone(ctx, q, read)
	}
	if l.next == nil {
		l.next = &group[Q, A]{done: make(chan struct{})}
	}
	g := l.next
	n := len(g.questions)
	if n >= most {
		c.mu.Unlock()
		return alone(ctx, q, read)
	}
	g.questions = append(g.questions, q)
	c.mu.Unlock()
	select {
	case <-g.done:
	case <-ctx.Done():
		var none A
		return none, ctx.Err()
	}
	if g.err != nil {
		return alone(ctx, q, read)
	}
	return g.answers[n], nil
}

// follow begins a read of what came during the one that ended.
func (c *Calls[Q, A]) follow(ctx context.Context, key string, l *lane[Q, A], read func(context.Context, []Q) ([]A, error)) {
	c.mu.Lock()
	g := l.next
	if g == nil {
		if l.running--; l.running == 0 {
			delete(c.lanes, key)
		}
		c.mu.Unlock()
		return
	}
	l.next = nil
	c.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		g.answers, g.err = read(ctx, g.questions)
		close(g.done)
		c.follow(ctx, key, l, read)
	}()
}

func alone[Q, A any](ctx context.Context, q Q, read func(context.Context, []Q) ([]A, error)) (A, error) {
	answers, err := read(ctx, []Q{q})
	if err != nil {
		var none A
		return none, err
	}
	return answers[0], nil
}
