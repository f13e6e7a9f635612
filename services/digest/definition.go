package digest

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the digest worker.
var Definition = worker.Definition{
	Name:    "digest",
	Summary: "asks each reviewer once a week, and carries out the answers",
	Config:  []worker.Section{Settings},
	Durable: bus.Durable{
		Stream:     bus.StreamIntake,
		Name:       "digest",
		Filters:    []string{event.SubjectDigestDue, event.SubjectDigestReply, event.SubjectDigestReply + ".>"},
		AckWait:    60 * time.Second,
		MaxPending: 64,
		MaxDeliver: 20,
	},
	Concurrency: func(worker.Deps) int { return 2 },
	Work:  func(d worker.Deps) (worker.Work, error) { return &work{d, Asking(d.Settings)}, nil },
	Run:   newClock,
}

// work composes due digests and applies replies.
type work struct {
	worker.Deps
	asking page.Config
}

// Do implements [worker.Work].
func (w *work) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	switch e.Subject {
	case event.SubjectDigestDue:
		return w.compose(ctx, e)
	case event.SubjectDigestReply:
		return w.reply(ctx, e)
	}
	return change.Set{}, worker.Permanent("subject", fmt.Errorf("%s is not the digest's", e.Subject))
}
