package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// languages are the clients of clients/, each with the command that runs its example.
var languages = []struct{ name, runs, example, source string }{
	{"python", "python3", "../../clients/python/example.py", "../../clients/python/winnow.py"},
	{"typescript", "node", "../../clients/typescript/example.js", "../../clients/typescript/winnow.js"},
}

// Each client does against a real server what its README says, although its first
// attempt at everything fails: with 429, with 503, or by a connection that breaks after
// the server has carried the request out. A repeat has the same Idempotency-Key and no
// second effect.
func TestClientsOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(l.runs)
			if err != nil {
				t.Skipf("%s is not installed: the %s client is not run", l.runs, l.name)
			}
			road := &bumpy{t: t, tries: map[string][]string{}}
			server := httptest.NewServer(road)
			defer server.Close()
			project := l.name + "-client"
			cmd := exec.CommandContext(t.Context(), program, filepath.Base(l.example), project)
			cmd.Dir = filepath.Dir(l.example)
			cmd.Env = append(os.Environ(), "WINNOW_URL="+server.URL, "WINNOW_API_KEY=", "PYTHONDONTWRITEBYTECODE=1")
			var failed bytes.Buffer
			cmd.Stderr = &failed
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, failed.String())
			}
			example(t, project, out)
			road.check()
		})
	}
}

// step is a line of an example's output.
type step struct {
	Step, Principal, Status, ID, Content, Code string

	Duplicate, Same, Recorded bool
	IDs, Fields               []string
	Confidence                float64
	Tokens, Turns             int
	RequestID                 bool `json:"request_id"`
}

// example checks what an example printed.
func example(t *testing.T, project string, out []byte) {
	t.Helper()
	steps := map[string]step{}
	statuses := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var s step
		var code struct {
			Step   string
			Status any
		}
		if err := json.Unmarshal(lines.Bytes(), &code); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if n, isNumber := code.Status.(float64); isNumber {
			statuses[code.Step] = int(n)
		}
		_ = json.Unmarshal(lines.Bytes(), &s) // a number as the status stays out
		steps[code.Step] = s
	}
	id := steps["propose"].ID
	for what, right := range map[string]bool{
		"caller":       steps["caller"].Principal == "agent",
		"propose":      steps["propose"].Status == "recorded" && strings.HasPrefix(id, "mem_"),
		"again":        steps["again"].Duplicate && steps["again"].Same,
		"search":       slices.Contains(steps["search"].IDs, id),
		"memory":       strings.Contains(steps["memory"].Content, project+"-importer` listens on port 7431"),
		"memories":     slices.Equal(steps["memories"].IDs, []string{id}),
		"feedback":     steps["feedback"].Confidence > 0.5,
		"outcome":      steps["outcome"].Recorded,
		"start":        steps["start"].Tokens > 0,
		"session":      steps["session"].Turns == 2,
		"unknown id":   statuses["unknown"] == http.StatusNotFound && steps["unknown"].Code == "not_found" && steps["unknown"].RequestID,
		"wrong field":  statuses["field"] == http.StatusUnprocessableEntity && len(steps["field"].Fields) == 1 && strings.HasSuffix(steps["field"].Fields[0], "limit"),
		"a reused key": statuses["reused"] == http.StatusUnprocessableEntity && steps["reused"].Code == "idempotency_key_reused",
	} {
		if !right {
			t.Errorf("%s is not as it should be:\n%s", what, out)
		}
	}
}

// bumpy stands before the server. It fails the first attempt at each request.
type bumpy struct {
	t     *testing.T
	mu    sync.Mutex
	tries map[string][]string // Idempotency-Keys by request
	n     int
	lost  string // the request whose answer was lost, and then what its repeat answered
	again string
}

func (b *bumpy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Error(err)
	}
	name := r.Method + " " + r.URL.RequestURI() + " " + string(body)
	b.mu.Lock()
	b.tries[name] = append(b.tries[name], r.Header.Get("Idempotency-Key"))
	first := len(b.tries[name]) == 1
	b.n++
	fault := http.StatusServiceUnavailable
	if b.n%2 == 0 {
		fault = http.StatusTooManyRequests
	}
	b.mu.Unlock()
	loses := strings.HasPrefix(name, "POST /api/feedback")
	if first && !loses {
		w.Header().Set("Retry-After", "0")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(fault)
		_, _ = io.WriteString(w, `{"status":503,"code":"busy","detail":"later"}`)
		return
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, instance.HTTPURL+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		b.t.Error(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	if first && loses {
		_, _ = io.Copy(io.Discard, answer.Body)
		b.mu.Lock()
		b.lost = name
		b.mu.Unlock()
		panic(http.ErrAbortHandler) // the connection breaks
	}
	b.mu.Lock()
	if name == b.lost {
		b.again = answer.Header.Get("Idempotency-Replayed")
	}
	b.mu.Unlock()
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// check says whether every request was sent again with its own key.
func (b *bumpy) check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == "" || b.again != "true" {
		b.t.Errorf("the answer that was lost was not given again: %q, replayed %q", b.lost, b.again)
	}
	posts := 0
	for name, keys := range b.tries {
		if len(keys) < 2 {
			b.t.Errorf("%s was not sent again", name)
			continue
		}
		if strings.HasPrefix(name, "POST") {
			posts++
			if keys[0] == "" || keys[1] != keys[0] {
				b.t.Errorf("%s was sent again with another key: %q", name, keys)
			}
		}
	}
	if posts < 4 {
		b.t.Errorf("%d requests that change something", posts)
	}
}

// operationLine is an entry of a client's table of operations.
var operationLine = regexp.MustCompile(`"([a-z-]+)": [\[(]"([A-Z]+)", "(/api/[^"]*)"`)

// Every operation that a client calls is in the contract, with its method and path, and
// all clients call the same ones.
func TestClientsKeepToTheContract(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, l := range languages {
		source, err := os.ReadFile(l.source)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range operationLine.FindAllStringSubmatch(string(source), -1) {
			all = append(all, m[1])
			if got := contract.Paths[m[3]][strings.ToLower(m[2])].OperationID; got != m[1] {
				t.Errorf("%s: %s %s is %q in the contract, not %q", l.name, m[2], m[3], got, m[1])
			}
		}
		if first == nil {
			first = all
		}
		if len(all) < 9 || !slices.Equal(all, first) {
			t.Errorf("%s calls %v, the first client %v", l.name, all, first)
		}
	}
}
