package workertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Fate is how a message ended.
type Fate struct {
	Sequence   uint64
	Deliveries int  // how often it was settled or returned
	Acked      bool // otherwise it was terminated
	Reason     string
	At         time.Time // of the last settlement
}

// settlements records how real deliveries are settled, so that a test waits for a
// signal instead of a time.
type settlements struct {
	mu      sync.Mutex
	fates   map[uint64]Fate
	ended   map[uint64]bool
	changed chan struct{}
}

func newSettlements() *settlements {
	return &settlements{fates: map[uint64]Fate{}, ended: map[uint64]bool{}, changed: make(chan struct{}, 1)}
}

func (s *settlements) note(seq uint64, ended bool, change func(*Fate)) {
	s.mu.Lock()
	f := s.fates[seq]
	f.Sequence = seq
	f.Deliveries++
	f.At = time.Now()
	change(&f)
	s.fates[seq] = f
	s.ended[seq] = s.ended[seq] || ended
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// reset discards all fates, for a stream or a durable that is created again. It
// returns the sequence numbers of the settled messages.
func (s *settlements) reset() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	seqs := slices.Sorted(maps.Keys(s.ended))
	s.fates, s.ended = map[uint64]Fate{}, map[uint64]bool{}
	return seqs
}

func (s *settlements) await(ctx context.Context, seqs []uint64) ([]Fate, error) {
	for {
		s.mu.Lock()
		fates := make([]Fate, 0, len(seqs))
		for _, seq := range seqs {
			if s.ended[seq] {
				fates = append(fates, s.fates[seq])
			}
		}
		s.mu.Unlock()
		if len(fates) == len(seqs) {
			return fates, nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return fates, fmt.Errorf("%d of %d: %w", len(fates), len(seqs), ctx.Err())
		}
	}
}

// watch returns a source that passes everything through to src and records it.
func (s *settlements) watch(src bus.Source) bus.Source { return watched{src, s} }

type watched struct {
	bus.Source
	log *settlements
}

func (w watched) Fetch(ctx context.Context, most int) ([]bus.Message, error) {
	got, err := w.Source.Fetch(ctx, most)
	for i, m := range got {
		got[i] = watchedMessage{m, w.log}
	}
	return got, err
}

type watchedMessage struct {
	bus.Message
	log *settlements
}

func (m watchedMessage) Ack(ctx context.Context) error {
	err := m.Message.Ack(ctx)
	m.log.note(m.Meta().Sequence, err == nil, func(f *Fate) { f.Acked = true })
	return err
}

func (m watchedMessage) Retry(delay time.Duration) error {
	m.log.note(m.Meta().Sequence, false, func(*Fate) {})
	return m.Message.Retry(delay)
}

func (m watchedMessage) Terminate(reason string) error {
	err := m.Message.Terminate(reason)
	m.log.note(m.Meta().Sequence, err == nil, func(f *Fate) { f.Reason = reason })
	return err
}
