package embedtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server answers POST /v1/embeddings over real HTTP. It is safe for concurrent
// use and ends with its test.
type Server struct {
	// URL is the base for clients, with /v1.
	URL string

	dim    int
	mu     sync.Mutex
	script []Reply
	rest   Reply // after the script
	seen   []Request
}

// Request is what a client sent.
type Request struct {
	Input         []string `json:"input"`
	Model         string   `json:"model"`
	Dimensions    int      `json:"dimensions"`
	Authorization string   `json:"-"`
}

// Reply answers one request for vectors of dim numbers.
type Reply func(w http.ResponseWriter, r *http.Request, in Request, dim int)

// Always starts a server that gives one reply to every request.
func Always(t testing.TB, dim int, reply Reply) *Server {
	t.Helper()
	s := NewServer(t, dim)
	s.rest = reply
	return s
}

// NewServer starts a server that gives the replies in order, one to each request, and
// then [Valid] ones.
func NewServer(t testing.TB, dim int, script ...Reply) *Server {
	t.Helper()
	s := &Server{dim: dim, script: script, rest: Valid}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.serve)
	h := httptest.NewServer(mux)
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

// Requests returns the requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	var in Request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in.Authorization = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	s.seen = append(s.seen, in)
	reply := s.rest
	if len(s.script) > 0 {
		reply, s.script = s.script[0], s.script[1:]
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	reply(w, r, in, s.dim)
}
