// Package reranktest is a server that speaks the reranking protocol over real
// HTTP on a loopback port and answers as it is told: well, badly, or not at all.
package reranktest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server answers POST /v1/rerank. It is safe for concurrent use and ends with
// its test.
type Server struct {
	// URL is the base for clients, with /v1.
	URL string

	mu    sync.Mutex
	reply Reply
	seen  []Request
}

// Request is what a client sent.
type Request struct {
	Model         string   `json:"model"`
	Query         string   `json:"query"`
	Documents     []string `json:"documents"`
	TopN          int      `json:"top_n"`
	Authorization string   `json:"-"`
}

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request, in Request)

// NewServer starts a server that scores every text 0.5 until Set says otherwise.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{reply: Scores(func(string) float64 { return 0.5 })}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rerank", s.serve)
	h := httptest.NewServer(mux)
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

// Set changes the answer.
func (s *Server) Set(r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = r
}

// Asked is how many requests came.
func (s *Server) Asked() int { return len(s.Requests()) }

// Requests are what was sent so far.
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
	in.Authorization = r.Header.Get("Authorization")
	s.mu.Lock()
	s.seen = append(s.seen, in)
	reply := s.reply
	s.mu.Unlock()
	reply(w, r, in)
}

// Scores gives every text its score, in the last text's favour where equal: the
// order of an answer means nothing, the index does.
func Scores(of func(text string) float64) Reply {
	return func(w http.ResponseWriter, _ *http.Request, in Request) {
		results := make([]map[string]any, 0, len(in.Documents))
		for i := len(in.Documents) - 1; i >= 0; i-- {
			results = append(results, map[string]any{"index": i, "relevance_score": of(in.Documents[i])})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "results": results})
	}
}

// Text answers with these bytes.
func Text(body string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) { _, _ = w.Write([]byte(body)) }
}

// Refuse answers with a status and repeats what was sent, as some servers do.
func Refuse(status int) Reply {
	return func(w http.ResponseWriter, _ *http.Request, in Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(in.Query))
	}
}

// Slow says nothing until the client hangs up.
func Slow(_ http.ResponseWriter, r *http.Request, _ Request) { <-r.Context().Done() }
