package llmtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server answers as its script says. It is safe for concurrent use.
type Server struct {
	// URL is the base for clients, with /v1; empty for a handler that somebody
	// else serves.
	URL string

	mu       sync.Mutex
	script   Script
	requests int
	keys     map[string]int
	seen     []Request
	forget   bool
}

// Request is what a client sent.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Format   struct {
		Type string `json:"type"`
	} `json:"response_format"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`

	Key           string `json:"-"` // Idempotency-Key
	Authorization string `json:"-"` // bearer key
}

// Message is one message of a request.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Prompt is everything that the model is shown.
func (r Request) Prompt() string {
	parts := make([]string, 0, len(r.Messages))
	for _, m := range r.Messages {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n")
}

// WantsJSON reports that the request asks for an answer by schema.
func (r Request) WantsJSON() bool {
	return r.Format.Type == "json_schema" || r.Format.Type == "json_object"
}

// New makes a server as an HTTP handler.
func New(script Script) *Server { return &Server{script: script, keys: make(map[string]int)} }

// NewServer starts one on a loopback port; it ends with the test.
func NewServer(t testing.TB, script Script) *Server {
	t.Helper()
	s := New(script)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	// Answers that wait for their client to hang up are cut off first.
	t.Cleanup(h.CloseClientConnections)
	s.URL = h.URL + "/v1"
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	var in Request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in.Key = r.Header.Get("Idempotency-Key")
	in.Authorization = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.Header().Set("Content-Type", "application/json")
	s.note(in)(w, r, in)
}

// note counts a request and finds its answer.
func (s *Server) note(in Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.keys[in.Key]++
	if !s.forget {
		s.seen = append(s.seen, in)
	}
	return s.script(s.requests, in)
}

// Answer replaces the script.
func (s *Server) Answer(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// Forget stops recording requests, for runs with many of them.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget, s.seen = true, nil
}

// Requests returns the requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Asked returns how often each key came.
func (s *Server) Asked() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.keys)
}

// Counts returns the number of requests, and of different keys.
func (s *Server) Counts() (requests, questions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, len(s.keys)
}
