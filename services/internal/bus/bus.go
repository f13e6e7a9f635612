package bus

import (
	"context"
	"errors"
	"time"
)

// Errors of a driver, wrapped.
var (
	// ErrDrained means that the source was drained and returns nothing more.
	ErrDrained = errors.New("drained")
	// ErrNoConsumer means that the durable does not exist. Remedy: winnow
	// provision.
	ErrNoConsumer = errors.New("durable does not exist")
	// ErrUnavailable means that the server cannot be reached now.
	ErrUnavailable = errors.New("bus unavailable")
	// ErrNoLetter means that a dead letter or its original does not exist, or no
	// longer exists.
	ErrNoLetter = errors.New("no such dead letter")
)

// Durable is a durable consumer: a named position in a stream. Provisioning creates
// durables; workers only bind to them.
type Durable struct {
	Stream     string
	Name       string
	Filters    []string      // subjects
	AckWait    time.Duration // after which an unsettled message is delivered again
	MaxPending int           // unsettled messages over all replicas
	MaxDeliver int           // the guard against crashes, not the retry policy
	// Overtake permits the worker to read what waits behind a flood, see
	// [Source.Waiting]: it gets the right to read the stream.
	Overtake bool
}

// Message is one delivery. Exactly one of Ack, Retry and Terminate settles it.
type Message interface {
	Subject() string
	Header() map[string][]string
	Data() []byte
	Meta() Meta
	// InProgress resets the redelivery timer.
	InProgress() error
	// Ack acknowledges the message after its effect is committed.
	Ack(ctx context.Context) error
	// Retry asks for another delivery after delay.
	Retry(delay time.Duration) error
	// Terminate ends delivery for good; the reason goes to the advisories.
	Terminate(reason string) error
}

// Meta is the stream's metadata of a delivery.
type Meta struct {
	Stream    string
	Consumer  string
	Sequence  uint64
	Delivered int // 1 for the first
	Stored    time.Time
}

// Source pulls messages from one durable.
type Source interface {
	// Fetch waits for one message and returns it with those that are available, at
	// most max in all. It returns nothing when ctx ends, and ErrDrained after Drain.
	Fetch(ctx context.Context, max int) ([]Message, error)
	// Pending returns how many messages are undelivered and how many are delivered
	// and unsettled, over all replicas.
	Pending(ctx context.Context) (waiting, ackPending int, err error)
	// Waiting returns the sequence number up to which messages are delivered, and the
	// subjects of those after it, each with its last one: the nearest first, at most
	// some hundreds.
	Waiting(ctx context.Context) (delivered uint64, subjects []Waiting, err error)
	// Peek returns the messages of a subject from a sequence number on, in order, at
	// most max. They stay undelivered: settling them has no effect, and the durable
	// delivers each of them later.
	Peek(ctx context.Context, subject string, from uint64, max int) ([]Message, error)
	// Drain ends fetching and returns when no request is open. The caller still
	// settles the messages that it fetched. Drain may be called twice.
	Drain()
}

// Waiting is a subject with undelivered messages, and the sequence number of the last.
type Waiting struct {
	Subject string
	Last    uint64
}

// Publisher publishes events that are already committed to the store.
type Publisher interface {
	// Publish stores the messages in order and returns their sequence numbers.
	// Messages whose ids the stream knows count as published. With an error the
	// sequence numbers of the stored messages are still returned; zero means that a
	// message is not stored. The error contains the messages that the server refuses
	// for good, see [Refusals]; they do not delay the others.
	Publish(ctx context.Context, out []Outgoing) ([]uint64, error)
	// Last returns the newest message that a stream stores on a subject, nil when there is
	// none.
	Last(ctx context.Context, subject string) ([]byte, error)
	// Wake signals the active relay that the outbox has rows. A lost signal is
	// harmless.
	Wake()
	// Woken returns a channel that receives the signals of Wake.
	Woken(ctx context.Context) (<-chan struct{}, error)
}

// Outgoing is one message to publish. ID is its deduplication id.
type Outgoing struct {
	ID      string
	Subject string
	Header  map[string][]string
	Data    []byte
}

// DeadLetters stores whole messages that could not be handled.
type DeadLetters interface {
	// Put stores a message with the reason. The same message for the same consumer is
	// stored once.
	Put(ctx context.Context, consumer string, m Message, reason Reason) error
	// PutRefused stores a message of the outbox that the stream refuses, by the id and
	// the time of its row. The same row is stored once. A body that is too large for a
	// letter stays in its row.
	PutRefused(ctx context.Context, consumer string, row int64, at time.Time, m Outgoing, reason Reason) error
	// List returns letters, oldest first, after a sequence number.
	List(ctx context.Context, after uint64, limit int) ([]DeadLetter, error)
	// Rescue stores a dead letter for a message whose consumer could not write one. It
	// takes the subject and the data of the server's advisory that it stopped
	// delivering the message. When the consumer did write the letter, nothing happens.
	// ErrNoLetter means that the original no longer exists or that data is no advisory.
	Rescue(ctx context.Context, subject string, advisory []byte) error
	// Get returns one letter by its sequence number, or ErrNoLetter.
	Get(ctx context.Context, seq uint64) (DeadLetter, error)
	// Replay publishes the original again under a new message id but the same
	// event id, and returns its sequence number.
	Replay(ctx context.Context, seq uint64) (uint64, error)
}

// Outbox is the value of [DeadLetter.Stream] for a message that no stream stored; its
// sequence number is the id of the outbox row.
const Outbox = "OUTBOX"

// Reason is the cause of a dead letter: a class from a closed set, and a text.
type Reason struct {
	Class string `json:"class"` // malformed, version, subject, principal, permission, too_large, invalid, exhausted …
	Text  string `json:"text"`
}

// DeadLetter is a message that could not be handled, with the reason.
type DeadLetter struct {
	Seq      uint64              `json:"seq"` // in the dead letter stream
	Consumer string              `json:"consumer"`
	Reason   Reason              `json:"reason"`
	Subject  string              `json:"subject"` // of the original
	Stream   string              `json:"stream"`
	Sequence uint64              `json:"sequence"`
	Stored   time.Time           `json:"stored"` // when the stream took the original
	Attempts int                 `json:"attempts"`
	At       time.Time           `json:"at"` // of the letter
	Header   map[string][]string `json:"header"`
	Data     []byte              `json:"data"`
}
