package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BenchmarkClients lets eight clients search 10,000 memories at once, over HTTP and over
// MCP: from the request to the decoded answer, with a session, so that what was shown is
// recorded too. Each client waits for its answer before it asks again. The processor time
// is that of clients, server and Postgres; own is without Postgres. An agent brings a
// processor of its own, so MCP is measured twice: with the SDK's client, whose decoding is a
// fifth of the time here, and with the same requests sent by net/http (lean).
//
// Clients without a pause measure how much work a search is: eight of them on two cores wait
// for each other. What an agent waits for is measured at a pace of 200 searches a second
// together, from the moment that a search was due, so that a late answer delays none unseen;
// and most is the highest pace, in steps of a hundred, at which 99 of 100 answers come within
// 15 ms.
func BenchmarkClients(b *testing.B) {
	const clients = 8
	s := setup(b)
	questions := tenThousand(s)
	agents := make([]*agent, clients)
	for i := range agents {
		agents[i] = s.connect("", "") // the core tools, as an agent has them
	}
	lean := s.recorded(agents[0])
	pool := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer pool.CloseIdleConnections()
	for _, c := range []struct {
		name string
		ask  func(client, i int) (found int, err error)
	}{
		{"http", func(client, i int) (int, error) {
			q := url.Values{"q": {questions[i%len(questions)]}, "project": {projectOf(i)}, "session_id": {fmt.Sprint("c", client)}}
			r, err := pool.Get(s.url + "/api/search?" + q.Encode())
			if err != nil {
				return 0, err
			}
			defer func() { _ = r.Body.Close() }()
			var got answer
			err = readJSON(r, &got)
			return len(got.Memories), err
		}},
		{"mcp", func(client, i int) (int, error) {
			result, err := agents[client].CallTool(b.Context(), &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{
				"query": questions[i%len(questions)], "project": projectOf(i), "session_id": fmt.Sprint("c", client),
			}})
			if err != nil {
				return 0, err
			}
			got, _ := result.StructuredContent.(map[string]any) // as the client decoded it
			memories, _ := got["memories"].([]any)
			return len(memories), nil
		}},
		{"mcp-lean", func(client, i int) (int, error) {
			var got struct {
				Result struct {
					StructuredContent answer
				}
			}
			err := lean.ask(pool, map[string]any{
				"query": questions[i%len(questions)], "project": projectOf(i), "session_id": fmt.Sprint("c", client),
			}, &got)
			return len(got.Result.StructuredContent.Memories), err
		}},
	} {
		run := func(n int, pace time.Duration) []time.Duration {
			took := make([]time.Duration, n)
			var next atomic.Int64
			var together sync.WaitGroup
			first := time.Now()
			for client := range clients {
				together.Go(func() {
					for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
						began := time.Now()
						if pace > 0 {
							began = first.Add(time.Duration(i) * pace)
							time.Sleep(time.Until(began))
						}
						if found, err := c.ask(client, i); err != nil || found == 0 {
							b.Errorf("%s: %d found, %v", c.name, found, err)
						}
						took[i] = time.Since(began)
					}
				})
			}
			together.Wait()
			return took
		}
		run(256, 0) // warm-up
		for _, load := range []struct {
			name string
			pace time.Duration
		}{{"", 0}, {"-paced", 5 * time.Millisecond}} {
			b.Run(c.name+load.name, func(b *testing.B) {
				all, own := testenv.CPUSeconds(), testenv.OwnCPUSeconds()
				took := run(b.N, load.pace)
				all, own = testenv.CPUSeconds()-all, testenv.OwnCPUSeconds()-own
				b.ReportMetric(all*1e6/float64(b.N), "cpu-µs/op")
				b.ReportMetric(own*1e6/float64(b.N), "own-cpu-µs/op")
				for _, q := range []float64{0.5, 0.99} {
					b.ReportMetric(float64(quantile(took, q).Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
				}
			})
		}
		b.Run(c.name+"-most", func(b *testing.B) {
			const step, bar = 100, 15 * time.Millisecond
			most := 0
			for rate := 2 * step; rate <= 20*step; rate += step {
				if quantile(run(b.N, time.Second/time.Duration(rate)), 0.99) >= bar {
					break
				}
				most = rate
			}
			b.ReportMetric(float64(most), "searches/s")
		})
	}
}

// quantile returns the time that a share of searches did not take longer than.
func quantile(took []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// readJSON reads an answer, which the caller closes, and decodes it.
func readJSON(r *http.Response, into any) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s, %w", r.Status, raw, err)
	}
	return json.Unmarshal(raw, into)
}

// sentCall is a tool's call as a client sent it.
type sentCall struct {
	url    string
	header http.Header
	body   struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  struct {
			Meta      json.RawMessage `json:"_meta,omitempty"`
			Name      string          `json:"name"`
			Arguments any             `json:"arguments"`
		} `json:"params"`
	}
}

// recorded returns a search as the SDK's client sends it.
func (b *bench) recorded(a *agent) sentCall {
	b.Helper()
	var sent sentCall
	var err error
	through := a.through.Transport
	a.through.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		var raw []byte
		if raw, err = io.ReadAll(r.Body); err == nil {
			err = json.Unmarshal(raw, &sent.body)
		}
		sent.url, sent.header = r.URL.String(), r.Header.Clone()
		r.Body = io.NopCloser(bytes.NewReader(raw))
		return through.RoundTrip(r)
	})
	defer func() { a.through.Transport = through }()
	a.call("memory_search", map[string]any{"query": "cache"}, &answer{})
	if err != nil || sent.body.Params.Name != "memory_search" {
		b.Fatalf("sent %+v, %v", sent, err)
	}
	return sent
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// ask sends the call with other arguments, and decodes the answer.
func (c sentCall) ask(pool *http.Client, arguments map[string]any, into any) error {
	c.body.Params.Arguments = arguments
	raw, err := json.Marshal(c.body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	r.Header = c.header
	answer, err := pool.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	return readJSON(answer, into)
}
