package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Headers and limits of an atomic batch (NATS ADR-50).
const (
	headerBatchID       = "Nats-Batch-Id"
	headerBatchSequence = "Nats-Batch-Sequence"
	headerBatchCommit   = "Nats-Batch-Commit"

	maxBatch      = 1000    // messages that the server takes in one batch
	maxBatchBytes = 8 << 20 // our limit, far below a connection's limit of pending bytes
	batchTimeout  = 5 * time.Second
)

// batchAck is the server's answer to the last message of a batch. The answer to the
// first message is empty.
type batchAck struct {
	Error    *natsjs.APIError `json:"error"`
	Stream   string           `json:"stream"`
	Sequence uint64           `json:"seq"` // of the last message
	Batch    string           `json:"batch"`
	Count    int              `json:"count"`
}

// publishBatch stores all messages or none and returns their sequence numbers,
// which are consecutive. All subjects must belong to one stream. After an error
// it is unknown whether the batch was stored: a timeout may hide a success. The caller
// then publishes again under the same message ids.
func publishBatch(ctx context.Context, nc *nats.Conn, out []bus.Outgoing) ([]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	id := nuid.Next()
	var ack batchAck
	for i, o := range out {
		m := outgoingMsg(o)
		m.Header.Set(headerBatchID, id)
		m.Header.Set(headerBatchSequence, strconv.Itoa(i+1))
		last := i == len(out)-1
		if last {
			m.Header.Set(headerBatchCommit, "1")
		}
		if i > 0 && !last {
			// Only the first and the last message are answered.
			if err := nc.PublishMsg(m); err != nil {
				return nil, fmt.Errorf("batch message %d of %d: %w", i+1, len(out), err)
			}
			continue
		}
		reply, err := nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("batch message %d of %d: %w", i+1, len(out), err)
		}
		ack = batchAck{}
		if len(reply.Data) > 0 {
			if err := json.Unmarshal(reply.Data, &ack); err != nil {
				return nil, fmt.Errorf("batch ack: %w", err)
			}
		}
		if ack.Error != nil {
			return nil, fmt.Errorf("batch message %d of %d: %w", i+1, len(out), ack.Error)
		}
	}
	if ack.Count != len(out) || ack.Batch != id {
		return nil, fmt.Errorf("batch ack: the server counts %d of %d messages", ack.Count, len(out))
	}
	seqs := make([]uint64, len(out))
	for i := range seqs {
		seqs[i] = ack.Sequence - uint64(len(out)-1-i)
	}
	return seqs, nil
}

func outgoingMsg(o bus.Outgoing) *nats.Msg {
	m := &nats.Msg{Subject: o.Subject, Data: o.Data, Header: make(nats.Header, len(o.Header)+4)}
	for name, values := range o.Header {
		m.Header[name] = values
	}
	if o.ID != "" {
		m.Header[natsjs.MsgIDHeader] = []string{o.ID}
	}
	return m
}
