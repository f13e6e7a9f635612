package ingest_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// written makes a trace of n turns as it is read: a person now and then, tools,
// pages from outside, and a secret in every hundredth turn.
type written struct {
	n, i    int
	size    int // bytes of a turn's text
	pending string
}

func (w *written) Read(p []byte) (int, error) {
	for w.pending == "" {
		if w.i == w.n {
			return 0, io.EOF
		}
		w.pending = w.turn(w.i)
		w.i++
	}
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

func (w *written) turn(i int) string {
	text := fmt.Sprintf("step %d of the importer in module%d keeps the cursor; ", i, i%977)
	text = strings.Repeat(text, w.size/len(text)+1)[:w.size]
	switch {
	case i%100 == 7:
		return fmt.Sprintf(`{"role":"user","text":"password=Secret%dstaging %s"}`+"\n", i, text)
	case i%100 == 50:
		return fmt.Sprintf(`{"role":"tool","tool":"WebFetch","text":"%s"}`+"\n", text)
	case i%3 == 1:
		return fmt.Sprintf(`{"role":"assistant","tool":"Bash","command":"go test ./module%d # %s"}`+"\n", i%977, text)
	}
	return fmt.Sprintf(`{"role":"tool","tool":"Bash","text":"%s"}`+"\n", text)
}

// peak watches the heap until it is told to stop, and returns how much it grew.
func peak(t *testing.T) (stop func() uint64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, most := m.HeapInuse, uint64(0)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-tick.C:
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			case <-done:
				tick.Stop()
				return
			}
		}
	})
	return func() uint64 {
		close(done)
		watching.Wait()
		return most - min(base, most)
	}
}

// A trace of 50 MB, and one of 100,000 turns, come in over HTTP in the memory of
// what is stored of them, not of what they are.
func TestLongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 60 MB, which takes a minute: not with -short")
	}
	for name, c := range map[string]struct{ turns, size int }{
		"50 MB":         {50_000, 1_000},
		"100,000 turns": {100_000, 60},
	} {
		t.Run(name, func(t *testing.T) {
			d := setup(t)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.sessions("?scope=project:shop&format="+string(trace.FormatWinnow)).url, &written{n: c.turns, size: c.size})
			if err != nil {
				t.Fatal(err)
			}
			stop, begun := peak(t), time.Now()
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			grown, took := stop(), time.Since(begun)
			list := stored(t, d.store)
			if resp.StatusCode != http.StatusAccepted || len(list) != 1 {
				t.Fatalf("%s, %d sessions", resp.Status, len(list))
			}
			s := list[0]
			if s.Turns != c.turns || s.Skipped != 0 || s.Redactions != c.turns/100 || s.External == 0 {
				t.Errorf("%d turns, %d skipped, %d redactions, %d from outside", s.Turns, s.Skipped, s.Redactions, s.External)
			}
			t.Logf("%s: %d bytes of text, %v, heap grew by %d MiB", name, s.Bytes, took.Round(time.Millisecond), grown>>20)
			if grown > 128<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
		})
	}
}
