package bus

import (
	"context"
	"errors"
	"time"
)

// Errors of a driver, wrapped.
var (
	// ErrDrained says that the source was drained and has nothing more.
	ErrDrained = errors.New("drained")
	// ErrNoConsumer says that the durable does not exist. Remedy: winnow
	// provision.
	ErrNoConsumer = errors.New("durable does not exist")
	// ErrUnavailable says that the server cannot be reached now.
	ErrUnavailable = errors.New("bus unavailable")
	// ErrNoLetter says that a dead letter, or the message it is about, is not
	// there (any more).
	ErrNoLetter = errors.New("no such dead letter")
)

// Durable is a named position in a stream. Durables are created by
// provisioning; workers only bind to them.
type Durable struct {
	Stream     string
	Name       string
	Filters    []string      // subjects
	AckWait    time.Duration // after which an unsettled message is delivered again
	MaxPending int           // messages in hand over all replicas
	MaxDeliver int           // the crash guard, not the retry policy
}

// Message is one delivery. Exactly one of Ack, Retry and Terminate settles it.
type Message interface {
	Subject() string
	Header() map[string][]string
	Data() []byte
	Meta() Meta
	// InProgress resets the redelivery timer.
	InProgress() error
	// Ack says that the effect is committed.
	Ack(ctx context.Context) error
	// Retry asks for another delivery after delay.
	Retry(delay time.Duration) error
	// Terminate ends delivery for good; the reason goes to the advisories.
	Terminate(reason string) error
}

// Meta is what the stream knows about a delivery.
type Meta struct {
	Stream    string
	Consumer  string
	Sequence  uint64
	Delivered int // 1 for the first
	Stored    time.Time
}

// Source pulls from one durable.
type Source interface {
	// Fetch waits for one message and then takes what is there, at most max in
	// all. It returns nothing when ctx ends, ErrDrained after Drain.
	Fetch(ctx context.Context, max int) ([]Message, error)
	// Pending is how many messages wait or are in hand, over all replicas.
	Pending(ctx context.Context) (waiting, inHand int, err error)
	// Drain ends fetching and returns when no request is out; what was fetched
	// is the caller's to settle. It may be called twice.
	Drain()
}

// Publisher publishes events that are already committed elsewhere.
type Publisher interface {
	// Publish stores the messages in order and returns their sequence numbers.
	// Messages whose ids the stream has seen count as published. On error the
	// sequence numbers of those that made it are still returned; a zero says
	// that the message is not stored. The error names the messages that the
	// server refuses for good, see [Refusals]; they hold up nothing.
	Publish(ctx context.Context, out []Outgoing) ([]uint64, error)
	// Wake tells the active relay that there is work; losing it is harmless.
	Wake()
	// Woken delivers such calls.
	Woken(ctx context.Context) (<-chan struct{}, error)
}

// Outgoing is one message to publish. ID is its deduplication id.
type Outgoing struct {
	ID      string
	Subject string
	Header  map[string][]string
	Data    []byte
}

// DeadLetters keeps what could not be handled, whole.
type DeadLetters interface {
	// Put stores a message with the reason; the same message for the same
	// consumer is kept once.
	Put(ctx context.Context, consumer string, m Message, reason Reason) error
	// PutRefused stores a message of the outbox that the stream refuses, by the
	// number and the time of its row; the same row is kept once. What is too large for a letter
	// stays in its row.
	PutRefused(ctx context.Context, consumer string, row int64, at time.Time, m Outgoing, reason Reason) error
	// List returns letters, oldest first, after a sequence number.
	List(ctx context.Context, after uint64, limit int) ([]DeadLetter, error)
	// Rescue stores the letter that a consumer could not write itself, from the
	// server's advisory that it gave the delivery up, as subject and data. When the
	// consumer did write it, nothing happens. ErrNoLetter says that the original is
	// gone, or that it is no advisory.
	Rescue(ctx context.Context, subject string, advisory []byte) error
	// Get returns one letter by its sequence number, or ErrNoLetter.
	Get(ctx context.Context, seq uint64) (DeadLetter, error)
	// Replay publishes the original again under a new message id but the same
	// event id, and returns its sequence number.
	Replay(ctx context.Context, seq uint64) (uint64, error)
}

// Outbox stands where a dead letter names its stream, for a message that never got
// into one; its sequence number is that of the outbox row.
const Outbox = "OUTBOX"

// Reason says why a message is dead, in a closed class and in words.
type Reason struct {
	Class string `json:"class"` // malformed, version, subject, principal, permission, too_large, invalid, exhausted …
	Text  string `json:"text"`
}

// DeadLetter is a message that was given up on.
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
