package worker

import "context"

// commitQueue is an ordered commit queue: batches are prepared concurrently and
// commit in the order in which they were pulled. Without it two proposals about one
// thing could be decided in the wrong order.
type commitQueue struct {
	last <-chan struct{}
}

// ticket is one batch's position in the queue.
type ticket struct {
	before <-chan struct{}
	over   chan struct{}
}

func newCommitQueue() *commitQueue {
	free := make(chan struct{})
	close(free)
	return &commitQueue{last: free}
}

// next returns the ticket after the last one. It is for one goroutine.
func (q *commitQueue) next() ticket {
	t := ticket{before: q.last, over: make(chan struct{})}
	q.last = t.over
	return t
}

// wait returns when all earlier tickets have ended, or with ctx's error.
func (t ticket) wait(ctx context.Context) error {
	select {
	case <-t.before:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end releases the next ticket once all earlier ones have ended too.
func (t ticket) end() {
	<-t.before
	close(t.over)
}
