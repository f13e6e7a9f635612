package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// BenchmarkAssess assesses sessions with much text from outside: one page of
// 8 kB for every ten turns.
func BenchmarkAssess(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprintf("turns=%d", n), func(b *testing.B) {
			var session []trace.Turn
			for i := range n {
				turn := trace.Turn{N: i + 1, Role: trace.RoleAssistant, Text: fmt.Sprintf("Step %d keeps the importer of module%d in line. The exporter follows.", i, i%50)}
				switch i % 10 {
				case 3:
					turn.Role, turn.Tool = trace.RoleTool, trace.Tool{Name: "WebFetch"}
					turn.Text = strings.Repeat(fmt.Sprintf("Page %d says that servers want rest. ", i), 220)
				case 4:
					turn.Role = trace.RoleUser
				}
				session = append(session, turn)
			}
			o := options()
			for b.Loop() {
				trust.Assess(session, o)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/turn")
		})
	}
}
