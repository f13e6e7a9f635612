package run

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Times of the end of a server, of which the sum bounds it.
const (
	// finishWithin is how long requests in progress may go on after the last worker
	// has ended. An agent that waits for a verdict is answered in this time.
	finishWithin = 5 * time.Second
	// abandonWithin is how long handlers may take to return once their context has
	// ended. Their transactions are rolled back by then.
	abandonWithin = 5 * time.Second
)

// requests counts the requests in progress, so that a process closes its store and its
// connection after the last of them. Methods are safe for concurrent use, except that
// end is called once.
type requests struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup

	// streaming ends when the server begins to end: an event stream has no end of its
	// own. working ends when the time of the others is over.
	streaming, working       context.Context
	stopStreams, stopWorking context.CancelFunc
}

func newRequests() *requests {
	r := &requests{}
	r.working, r.stopWorking = context.WithCancel(context.Background())
	r.streaming, r.stopStreams = context.WithCancel(r.working)
	return r
}

// count returns a handler that counts the requests in progress and ends their contexts
// with the server. After the end a request is refused.
func (r *requests) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.begin() {
			w.Header().Set("Connection", "close")
			http.Error(w, "this process is stopping", http.StatusServiceUnavailable)
			return
		}
		defer r.running.Done()
		until := r.working
		if req.Method == http.MethodGet && strings.Contains(req.Header.Get("Accept"), "text/event-stream") {
			until = r.streaming
		}
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		defer context.AfterFunc(until, cancel)()
		next.ServeHTTP(w, req.WithContext(ctx))
	})
}

// begin counts a request unless the end has begun.
func (r *requests) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.running.Add(1)
	return true
}

// end closes the listener, lets the requests in progress finish, and then ends their
// contexts. It returns when all handlers have returned. The error says that one of them
// did not in time; ctx is that of the server, which has ended.
func (r *requests) end(ctx context.Context, s *http.Server) error {
	r.stopStreams()
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	err := s.Shutdown(finishing)
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.stopWorking()
	if err != nil {
		defer s.Close()
	}
	done := make(chan struct{})
	go func() { r.running.Wait(); close(done) }()
	late := time.NewTimer(abandonWithin)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return errors.New("serve http: a request did not end with the process")
	}
}
