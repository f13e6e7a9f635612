package format_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// repeated is head, then n pieces, then tail, made as it is read.
type repeated struct {
	piece   func(i int) string
	head    string
	tail    string
	n, i    int
	pending string
	peak    func() // called now and then
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.pending == "" {
		switch {
		case r.i == 0:
			r.pending = r.head + r.piece(0)
		case r.i < r.n:
			r.pending = r.piece(r.i)
		case r.i == r.n:
			r.pending = r.tail
		default:
			return 0, io.EOF
		}
		if r.i%24_000 == 0 && r.peak != nil {
			r.peak()
		}
		r.i++
		if r.pending == "" {
			return 0, nil
		}
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// formats makes a trace of n records in each format, of about size bytes each.
func formats(n, size int) map[trace.Format]*repeated {
	words := strings.Repeat("lorem ipsum dolor ", size/18+1)[:size]
	comma := func(format string) func(int) string {
		return func(i int) string {
			separator := ",\n"
			if i == 0 {
				separator = ""
			}
			return separator + fmt.Sprintf(format, i, words)
		}
	}
	return map[trace.Format]*repeated{
		trace.FormatClaude: {n: n, piece: func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","sessionId":"s","uuid":"%d","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]}}`+"\n", i, words)
		}},
		trace.FormatCodex: {n: n, piece: func(i int) string {
			return fmt.Sprintf(`{"timestamp":"2026-11-02T09:00:00Z","type":"response_item","payload":{"type":"message","role":"user","id":"%d","content":[{"type":"input_text","text":"%s"}]}}`+"\n", i, words)
		}},
		trace.FormatChat:     {n: n, head: `{"model":"m","messages":[`, piece: comma(`{"role":"user","name":"u%d","content":"%s"}`), tail: "]}"},
		trace.FormatSWEAgent: {n: n, head: `{"history":[`, piece: comma(`{"role":"assistant","thought":"%d","content":"%s"}`), tail: `],"info":{"exit_status":"submitted"}}`},
		trace.FormatWinnow:   {n: n, head: `{"id":"s"}` + "\n", piece: func(i int) string { return fmt.Sprintf(`{"role":"user","call":"%d","text":"%s"}`+"\n", i, words) }},
		trace.FormatText:     {n: n, piece: func(i int) string { return fmt.Sprintf("User: %d\n%s\n\n", i, words) }},
	}
}

// A trace of 50 MB in 100,000 turns is read in the memory of a few turns.
func TestLargeTraceIsStreamed(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 300 MB")
	}
	const turns = 100_000
	for as, r := range formats(turns, 420) {
		t.Run(string(as), func(t *testing.T) {
			var base, peak uint64
			r.peak = func() {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
				if base == 0 {
					base = m.HeapAlloc
				}
			}
			rd, err := format.Open(r, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for ; ; n++ {
				if _, err = rd.Next(); err != nil {
					break
				}
			}
			if s := rd.Session(); !errors.Is(err, io.EOF) || n != turns || s.Format != as || s.Report.Skipped != 0 {
				t.Errorf("%d turns of %s, %+v, %v", n, s.Format, s.Report, err)
			}
			if held := peak - base; held > 4<<20 {
				t.Errorf("held %d bytes", held)
			}
		})
	}
}

// One turn that is most of the trace is cut, whatever surrounds it.
func TestOneLongTurn(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("lorem ipsum ", 6<<20/12)
	s := read(t, `[{"role":"tool","content":"`+body+`"},{"role":"user","content":"thanks"}]`, trace.Options{})
	if len(s.Turns) != 2 || len(s.Turns[0].Text)+s.Turns[0].Cut < len(body)-1 || len(s.Turns[0].Text) > 256<<10+16 {
		t.Errorf("%d turns, kept %d, cut %d of %d", len(s.Turns), len(s.Turns[0].Text), s.Turns[0].Cut, len(body))
	}
	// Prose without speakers is not cut but told in passages.
	prose := read(t, body, trace.Options{})
	kept := 0
	for _, turn := range prose.Turns {
		kept += len(turn.Text)
	}
	if len(prose.Turns) < 50 || kept < len(body)-2*len(prose.Turns) {
		t.Errorf("%d passages with %d of %d bytes", len(prose.Turns), kept, len(body))
	}
}

// BenchmarkRead reads sessions of the usual sizes.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{10 << 10, 68 << 10} {
		for as, r := range formats(size/500, 400) {
			b.Run(fmt.Sprintf("%s/%dkB", as, size>>10), func(b *testing.B) {
				raw, err := io.ReadAll(r)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := format.Read(strings.NewReader(string(raw)), trace.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
