package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/bus"
)

const advisoryPrefix = "$JS.EVENT.ADVISORY.CONSUMER."

// advisory is the part of the server's advisory about a delivery that it gave up. An
// advisory has no body: the original is in its stream.
type advisory struct {
	Stream     string `json:"stream"`
	Consumer   string `json:"consumer"`
	Sequence   uint64 `json:"stream_seq"`
	Deliveries int    `json:"deliveries"`
	Reason     string `json:"reason"`
}

// Rescue implements [bus.DeadLetters].
func (d *DeadLetters) Rescue(ctx context.Context, subject string, data []byte) error {
	var a advisory
	if err := json.Unmarshal(data, &a); err != nil || a.Stream == "" || a.Sequence == 0 {
		// The server writes advisories; parsing a malformed one again cannot help.
		return fmt.Errorf("advisory on %s: %w", subject, bus.ErrNoLetter)
	}
	reason := bus.Reason{Class: "exhausted", Text: fmt.Sprintf("delivered %d times without an outcome", a.Deliveries)}
	if strings.Contains(subject, ".MSG_TERMINATED.") {
		reason = bus.Reason{Class: "terminated", Text: a.Reason}
		// The worker's own words are "class: text".
		if class, text, ok := strings.Cut(a.Reason, ": "); ok && !strings.Contains(class, " ") {
			reason = bus.Reason{Class: class, Text: text}
		}
	}
	s, err := readStored(ctx, d.nc, a.Stream, directGet{Sequence: a.Sequence})
	if errors.Is(err, errNoMessage) {
		return fmt.Errorf("message %d of stream %s: %w", a.Sequence, a.Stream, bus.ErrNoLetter)
	}
	if err != nil {
		return mapped("read the original", err)
	}
	return d.put(ctx, bus.DeadLetter{
		Consumer: a.Consumer, Reason: reason,
		Subject: s.Subject, Stream: a.Stream, Sequence: a.Sequence,
		Stored: s.At, Attempts: a.Deliveries, Header: s.Header, Data: s.Data,
	})
}
