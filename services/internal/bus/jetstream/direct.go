package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// stored is a message in a stream.
type stored struct {
	Subject  string
	Sequence uint64
	At       time.Time
	Header   map[string][]string
	Data     []byte
}

// directGetPrefix starts the subjects of direct get requests; the stream's name
// follows.
const directGetPrefix = "$JS.API.DIRECT.GET."

// errNoMessage means that a stream does not have a message, or no longer has it.
var errNoMessage = errors.New("no such message in the stream")

// directGet is one request of the direct get API: the message of a sequence number, or
// the first one from that number on whose subject matches Next.
type directGet struct {
	Sequence uint64 `json:"seq,omitempty"`
	Next     string `json:"next_by_subj,omitempty"`
	// Last asks for the last message on a subject.
	Last string `json:"last_by_subj,omitempty"`
	// LastOf asks for the last message of each subject that matches a filter, among
	// those from Sequence on.
	LastOf []string `json:"multi_last,omitempty"`
	// Batch and MaxBytes bound an answer of many messages; 0 asks for one.
	Batch    int `json:"batch,omitempty"`
	MaxBytes int `json:"max_bytes,omitempty"`
}

// readStored returns one message. It needs only the right to publish on the stream's
// direct get subject. The client library would first request the stream's info, which
// a least-privilege user may not.
func readStored(ctx context.Context, nc *nats.Conn, stream string, req directGet) (stored, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return stored{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, directGetPrefix+stream, body)
	if err != nil {
		return stored{}, err
	}
	return readAnswer(m)
}

// readMany returns messages in the order of their sequence numbers by one request,
// within the request's bounds. more reports whether others follow.
func readMany(ctx context.Context, nc *nats.Conn, stream string, req directGet) (list []stored, more bool, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return nil, false, err
	}
	answers, err := nc.SubscribeSync(nc.NewRespInbox())
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = answers.Unsubscribe() }() // fails on a closed connection alone
	if err := nc.PublishRequest(directGetPrefix+stream, answers.Subject, body); err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	for {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return list, false, err
		}
		// The last answer has the number of messages that were not sent.
		if m.Header.Get("Status") == "204" {
			return list, m.Header.Get("Nats-Num-Pending") != "0", nil
		}
		s, err := readAnswer(m)
		if errors.Is(err, errNoMessage) {
			return list, false, nil
		}
		if err != nil {
			return list, false, err
		}
		list = append(list, s)
	}
}

// readAnswer returns the stored message in an answer, or the answer's error.
func readAnswer(m *nats.Msg) (out stored, err error) {
	if status := m.Header.Get("Status"); status != "" {
		if status == "404" {
			return stored{}, errNoMessage
		}
		return stored{}, fmt.Errorf("direct get: %s %s", status, m.Header.Get("Description"))
	}
	out = stored{Subject: m.Header.Get("Nats-Subject"), Data: m.Data, Header: map[string][]string{}}
	if out.Sequence, err = strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err != nil {
		return stored{}, fmt.Errorf("direct get: sequence: %w", err)
	}
	if out.At, err = time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp")); err != nil {
		return stored{}, fmt.Errorf("direct get: time: %w", err)
	}
	for name, values := range m.Header {
		switch name {
		case "Nats-Stream", "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp", "Nats-Num-Pending", "Nats-Last-Sequence":
		default:
			out.Header[name] = values
		}
	}
	return out, nil
}
