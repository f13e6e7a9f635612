package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// BenchmarkSearch runs the same queries on the search itself, through MCP over
// HTTP, and as a session's start, over 10,000 memories in one run. The
// difference is the cost of serving an agent.
func BenchmarkSearch(b *testing.B) {
	s := setup(b)
	questions := tenThousand(s)
	a := s.agent("")
	for name, ask := range map[string]func(i int) error{
		"recall": func(i int) error {
			_, err := s.recall.Search(b.Context(), recall.Question{
				Text: questions[i%len(questions)], Tenant: memory.DefaultTenant, Scopes: []memory.Scope{memory.Scope("project:" + projectOf(i))},
				Limit: 5, Filter: search.Filter{MinConfidence: search.DefaultMinConfidence},
			})
			return err
		},
		"mcp": func(i int) error {
			_, err := a.CallTool(b.Context(), &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{
				"query": questions[i%len(questions)], "project": projectOf(i),
			}})
			return err
		},
		"session_start": func(i int) error {
			_, err := a.CallTool(b.Context(), &mcp.CallToolParams{Name: "session_start", Arguments: map[string]any{"project": projectOf(i)}})
			return err
		},
		"tools_list": func(int) error {
			_, err := a.ListTools(b.Context(), nil)
			return err
		},
	} {
		for i := range 64 { // warm-up
			if err := ask(i); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name, func(b *testing.B) {
			took := make([]time.Duration, 0, b.N)
			for i := range b.N {
				began := time.Now()
				if err := ask(i); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				at := took[min(int(q*float64(len(took))), len(took)-1)]
				b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
			}
		})
	}
}

// projectOf returns the project of a question.
func projectOf(i int) string { return fmt.Sprintf("p%d", i%20) }

// tenThousand stores as many memories in 20 projects, and returns questions about them.
func tenThousand(s *bench) []string {
	s.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("gateway token cache retry backoff pool vacuum shard index queue lease broker payment invoice ledger importer parser timeout deploy rollback canary metric trace span")
	sentence := func() string {
		var some []string
		for range 12 {
			some = append(some, words[rng.IntN(len(words))])
		}
		return strings.Join(some, " ") + fmt.Sprintf(" `setting_%d` is %d.", rng.IntN(3000), rng.IntN(500))
	}
	for chunk := range slices.Chunk(make([]memory.Memory, 10_000), 2500) {
		for i := range chunk {
			chunk[i] = memory.Memory{Text: sentence(), Scope: memory.Scope(fmt.Sprintf("project:p%d", rng.IntN(20)))}
			switch rng.IntN(20) {
			case 0:
				chunk[i].Kind = memory.KindRule
			case 1, 2, 3:
				chunk[i].Kind, chunk[i].Title = memory.KindStrategy, "Lesson "+words[rng.IntN(len(words))]
			}
		}
		s.remember(memory.DefaultTenant, chunk...)
	}
	questions := make([]string, 512)
	for i := range questions {
		questions[i] = strings.Join(strings.Fields(sentence())[:5], " ")
	}
	return questions
}
