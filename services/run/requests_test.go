package run

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The end of a server ends event streams at once and lets other requests finish. What
// comes later is refused.
func TestEndOfRequests(t *testing.T) {
	t.Parallel()
	r := newRequests()
	streamEnded, bothIn := make(chan struct{}), make(chan struct{}, 2)
	handler := r.count(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		bothIn <- struct{}{}
		if req.Method == http.MethodGet {
			<-req.Context().Done()
			close(streamEnded)
			return
		}
		<-streamEnded
		if err := req.Context().Err(); err != nil {
			t.Errorf("a request that could finish was ended: %v", err)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	s := httptest.NewServer(handler)
	defer s.Close()
	send := func(method string) <-chan int {
		code := make(chan int, 1)
		go func() {
			req, _ := http.NewRequestWithContext(context.Background(), method, s.URL, nil)
			req.Header.Set("Accept", "application/json, text/event-stream")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				code <- 0
				return
			}
			_ = resp.Body.Close()
			code <- resp.StatusCode
		}()
		return code
	}
	stream, other := send(http.MethodGet), send(http.MethodPost)
	<-bothIn
	<-bothIn
	if err := r.end(t.Context(), s.Config); err != nil {
		t.Error(err)
	}
	if got := <-other; got != http.StatusAccepted {
		t.Errorf("the request in progress: %d", got)
	}
	<-stream
	late := httptest.NewRecorder()
	handler.ServeHTTP(late, httptest.NewRequest(http.MethodPost, "/", nil))
	if late.Code != http.StatusServiceUnavailable {
		t.Errorf("a request after the end: %d, want 503", late.Code)
	}
}
