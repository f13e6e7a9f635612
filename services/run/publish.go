package run

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
)

// source is the value of ce-source in the events of commands.
const source = "winnow-cli"

// Client returns a client that publishes as a principal; the empty one is the fleet's
// default.
func (s *Session) Client(principal string) (*publish.Client, error) {
	return client(s.parts.nc, principal)
}

func client(nc *nats.Conn, principal string) (*publish.Client, error) {
	opts := []publish.Option{publish.WithSource(source)}
	if principal != "" {
		opts = append(opts, publish.WithPrincipal(principal))
	}
	return publish.New(nc, opts...)
}

// Bus is a command's connection to the bus alone, for commands that must return at once.
type Bus struct{ nc *nats.Conn }

// OpenBus connects to the bus of the configured installation, or else of a running winnow
// dev. Unlike [Open] it tries once: the error is ErrNoInstance, or reports that the bus did
// not answer within ctx.
func OpenBus(ctx context.Context, cfg Config) (*Bus, error) {
	if cfg.NATS.URL == "" {
		var err error
		if cfg, _, err = Locate(cfg); err != nil {
			return nil, err
		}
	}
	once := []nats.Option{nats.RetryOnFailedConnect(false), nats.NoReconnect()}
	if deadline, ok := ctx.Deadline(); ok {
		once = append(once, nats.Timeout(time.Until(deadline)))
	}
	nc, err := dial(cfg.NATS, zap.NewNop(), "cli", func(opts ...nats.Option) (*nats.Conn, error) {
		return nats.Connect(cfg.NATS.URL, append(opts, once...)...)
	})
	if err != nil {
		return nil, WithCode(ExitDependency, err)
	}
	return &Bus{nc: nc}, nil
}

// Client is [Session.Client].
func (b *Bus) Client(principal string) (*publish.Client, error) { return client(b.nc, principal) }

// Close ends the connection.
func (b *Bus) Close() { b.nc.Close() }

// Publish sends proposals as a principal, in order, and reports after each
// batch how many are stored. The empty principal is the fleet's default one. When
// one proposal is invalid, none is sent; the error names the field and has
// [ExitUsage].
func (s *Session) Publish(ctx context.Context, principal string, proposals []*winnowv1.ProposalCreated, stored func(int)) ([]publish.Result, error) {
	for i, p := range proposals {
		if err := s.checked(p); err != nil {
			if len(proposals) > 1 {
				err = fmt.Errorf("proposal %d of %d: %w", i+1, len(proposals), err)
			}
			return nil, WithCode(ExitUsage, err)
		}
	}
	client, err := s.Client(principal)
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

// checked validates a proposal by the rules of triage and does not change it: triage redacts
// its secrets.
func (s *Session) checked(p *winnowv1.ProposalCreated) error {
	_, err := message.Proposal(s.Redactor.Stream(string(s.Tenant)), proto.CloneOf(p))
	return err
}

// Decisions delivers verdicts as they are published from now on, until ctx
// ends. Subscribe before publishing. A verdict is missed while the connection is lost; a
// caller that needs all verdicts reads the store.
func (s *Session) Decisions(ctx context.Context) (<-chan *winnowv1.ProposalDecided, error) {
	messages := make(chan *nats.Msg, 4096)
	sub, err := s.parts.nc.ChanSubscribe(jetstream.SubjectDecided, messages)
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
				env, err := event.Parse(event.SubjectProposalDecided, m.Header, m.Data, "")
				if err == nil {
					err = event.Unmarshal(env, decided)
				}
				if err != nil {
					continue // an invalid event of the relay is not this command's error
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
