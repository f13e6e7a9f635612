package api_test

import (
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

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BenchmarkClients lets eight clients search 10,000 memories at once, over HTTP and over
// MCP: from the request to the decoded answer, with a session, so that what was shown is
// recorded too. Each client waits for its answer before it asks again. The processor time
// is that of clients, server and Postgres; own is without Postgres.
func BenchmarkClients(b *testing.B) {
	const clients = 8
	s := setup(b)
	questions := tenThousand(s)
	agents := make([]*agent, clients)
	for i := range agents {
		agents[i] = s.connect("", "") // the core tools, as an agent has them
	}
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
			raw, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != http.StatusOK {
				return 0, fmt.Errorf("%s: %s, %w", r.Status, raw, err)
			}
			var got answer
			err = json.Unmarshal(raw, &got)
			return len(got.Memories), err
		}},
		{"mcp", func(client, i int) (int, error) {
			var got answer
			err := agents[client].ask("memory_search", map[string]any{
				"query": questions[i%len(questions)], "project": projectOf(i), "session_id": fmt.Sprint("c", client),
			}, &got)
			return len(got.Memories), err
		}},
	} {
		run := func(n int) []time.Duration {
			took := make([]time.Duration, n)
			var next atomic.Int64
			var together sync.WaitGroup
			for client := range clients {
				together.Go(func() {
					for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
						began := time.Now()
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
		run(256) // warm-up
		b.Run(c.name, func(b *testing.B) {
			all, own := testenv.CPUSeconds(), testenv.OwnCPUSeconds()
			took := run(b.N)
			all, own = testenv.CPUSeconds()-all, testenv.OwnCPUSeconds()-own
			b.ReportMetric(all*1e6/float64(b.N), "cpu-µs/op")
			b.ReportMetric(own*1e6/float64(b.N), "own-cpu-µs/op")
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				at := took[min(int(q*float64(len(took))), len(took)-1)]
				b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
			}
		})
	}
}
