package transcript_test

import (
	"fmt"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// session is some size bytes of what agents print: repetitive, not constant.
func session(size int) []transcript.Line {
	var lines []transcript.Line
	for n := 0; size > 0; n++ {
		text := fmt.Sprintf("--- FAIL: TestImport%d (0.%02ds)\n    importer_test.go:%d: got %d rows, want %d\n%s", n, n%100, 40+n, n*7, n*7+1,
			"The importer keeps its cursor in the transaction, so a second run begins where the first one stopped and skips what was read.")
		size -= len(text)
		lines = append(lines, transcript.Line{Turn: trace.Turn{N: n + 1, Role: trace.RoleTool, Text: text, Tool: trace.Tool{Name: "Bash", Command: "go test ./..."}}})
	}
	return lines
}

func BenchmarkTranscript(b *testing.B) {
	for _, size := range []int{10_000, 68_000, 1_000_000} {
		lines := session(size)
		chunks, _, _ := write(b, lines)
		stored := 0
		for _, c := range chunks {
			stored += len(c)
		}
		b.Run(fmt.Sprintf("write/%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				write(b, lines)
			}
			b.ReportMetric(float64(stored)/float64(size), "stored/size")
		})
		b.Run(fmt.Sprintf("read/%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := transcript.Read(chunks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
