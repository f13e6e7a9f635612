package run

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// source is what commands call themselves in ce-source.
const source = "winnow-cli"

// Publish sends proposals as a principal, in order, and reports after each
// batch how many are stored. The empty principal is the fleet's default one.
func (s *Session) Publish(ctx context.Context, principal string, proposals []*winnowv1.ProposalCreated, stored func(int)) ([]publish.Result, error) {
	opts := []publish.Option{publish.WithSource(source)}
	if principal != "" {
		opts = append(opts, publish.WithPrincipal(principal))
	}
	client, err := publish.New(s.parts.nc, opts...)
	if err != nil {
		return nil, err
	}
	const batch = 64
	var results []publish.Result
	for len(proposals) > 0 {
		n := min(batch, len(proposals))
		some, err := client.Batch(ctx, proposals[:n])
		results = append(results, some...)
		if err != nil {
			return results, fmt.Errorf("publish: %w", err)
		}
		if stored != nil {
			stored(len(results))
		}
		proposals = proposals[n:]
	}
	return results, nil
}

// Decisions delivers verdicts as they are published from now on, until ctx
// ends. Subscribe before publishing. A verdict can be missed when the
// connection is lost; whoever needs all reads the store.
func (s *Session) Decisions(ctx context.Context) (<-chan *winnowv1.ProposalDecided, error) {
	messages := make(chan *nats.Msg, 4096)
	sub, err := s.parts.nc.ChanSubscribe(event.SubjectProposalDecided, messages)
	if err != nil {
		return nil, fmt.Errorf("listen for decisions: %w", err)
	}
	if err := s.parts.nc.FlushTimeout(5 * time.Second); err != nil {
		return nil, fmt.Errorf("listen for decisions: %w", err)
	}
	out := make(chan *winnowv1.ProposalDecided)
	go func() {
		defer close(out)
		defer func() { _ = sub.Unsubscribe() }()
		for {
			select {
			case <-ctx.Done():
				return
			case m := <-messages:
				decided := &winnowv1.ProposalDecided{}
				env, err := event.Parse(m.Subject, m.Header, m.Data, "")
				if err == nil {
					err = event.Unmarshal(env, decided)
				}
				if err != nil {
					continue // not ours to judge: the relay published it
				}
				select {
				case out <- decided:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out, nil
}
