package worker

import "context"

// line lets batches commit in the order in which they were pulled, while they
// are prepared side by side. Otherwise two proposals about one thing could be
// decided in the wrong order.
type line struct {
	last <-chan struct{}
}

// turn is one batch's place in the line.
type turn struct {
	before <-chan struct{}
	over   chan struct{}
}

func newLine() *line {
	free := make(chan struct{})
	close(free)
	return &line{last: free}
}

// next gives out places in order. It is for one goroutine.
func (l *line) next() turn {
	t := turn{before: l.last, over: make(chan struct{})}
	l.last = t.over
	return t
}

// wait returns when everything before has ended.
func (t turn) wait(ctx context.Context) error {
	select {
	case <-t.before:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end lets the next one go once everything before has ended too.
func (t turn) end() {
	<-t.before
	close(t.over)
}
