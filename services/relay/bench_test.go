package relay_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/relay"
)

// BenchmarkRelay measures publishing a full outbox until its last row is marked.
func BenchmarkRelay(b *testing.B) {
	st := pgtest.Open(b)
	var set change.Set
	for i := range b.N {
		id := fmt.Sprintf("evt_%07d", i)
		set.Events = append(set.Events, change.Event{
			ID: id, Subject: event.SubjectProposalDecided, Type: event.TypeFor(event.SubjectProposalDecided),
			Message: &winnowv1.ProposalDecided{Id: id, Reason: "repeats what was remembered before"},
		})
	}
	if _, err := st.Commit(b.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	runner, err := relay.Definition.Run(workertest.Deps(b, natstest.New(b, relay.Definition.Durable), st))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	b.ResetTimer()
	go func() { ended <- runner.Run(ctx) }()
	for poll := time.NewTicker(10 * time.Millisecond); ; <-poll.C {
		s, err := st.OutboxStatus(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if s.Waiting == 0 {
			poll.Stop()
			break
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}
