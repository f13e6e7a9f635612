package jetstream_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

// The benchmark measures the cost of a worker's own account: fetching in batches of 512
// and acknowledging, compared with the same in the account of JetStream. An operation is
// one message.
func BenchmarkFetch(b *testing.B) {
	for _, own := range []bool{true, false} {
		name := map[bool]string{true: "own account", false: "account of JetStream"}[own]
		b.Run(name, func(b *testing.B) {
			d := triage()
			d.MaxPending = 2048
			s := natstest.New(b, d)
			src := s.Source(b, d)
			if !own {
				var err error
				if src, err = jetstream.NewSource(s.Connect(b), d); err != nil {
					b.Fatal(err)
				}
				b.Cleanup(src.Drain)
			}
			out := make([]bus.Outgoing, b.N)
			for i := range out {
				out[i] = bus.Outgoing{Subject: "memory.proposal.created.bot", Data: make([]byte, 1024)}
			}
			p := s.Publisher(b)
			for from := 0; from < b.N; from += 1000 {
				if _, err := p.Publish(b.Context(), out[from:min(from+1000, b.N)]); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			for n := 0; n < b.N; {
				got, err := src.Fetch(b.Context(), 512)
				if err != nil {
					b.Fatal(err)
				}
				for _, m := range got {
					if err := m.Ack(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				n += len(got)
			}
		})
	}
}
