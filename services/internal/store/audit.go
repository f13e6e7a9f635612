package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// AuditLog reads and checks a tenant's hash chain: one link per transaction,
// hash = H(previous, seq, root of the commitments of its events).
type AuditLog interface {
	// AuditHead is the last link of the chain: its sequence number and hex
	// hash, 0 and empty while there is none.
	AuditHead(ctx context.Context, tenant memory.Tenant) (seq int64, hash string, err error)
	// AuditEvents lists events from newest to oldest, at most limit (default
	// 100), before a sequence number (0: from the head), optionally about one
	// subject.
	AuditEvents(ctx context.Context, tenant memory.Tenant, subject string, before int64, limit int) ([]AuditEvent, error)
	// VerifyAudit recomputes the whole chain. The report says how many links
	// and events it has, how many bodies were erased, and where it breaks.
	VerifyAudit(ctx context.Context, tenant memory.Tenant) (AuditReport, error)
}

// AuditEvent is one entry; Body is nil when it was erased.
type AuditEvent struct {
	Seq       int64           `json:"seq"` // of the link
	N         int             `json:"n"`   // within the link
	At        time.Time       `json:"at"`
	Actor     memory.Actor    `json:"actor"`
	Principal string          `json:"principal"`
	Action    string          `json:"action"`
	Subject   string          `json:"subject"`
	Body      json.RawMessage `json:"body"`
}

// AuditReport is the result of a verification.
type AuditReport struct {
	Tenant   memory.Tenant `json:"tenant"`
	Links    int64         `json:"links"`
	Events   int64         `json:"events"`
	Erased   int64         `json:"erased"`    // events whose body is gone; their commitments still count
	Head     string        `json:"head"`      // hex hash of the last link
	BrokenAt int64         `json:"broken_at"` // sequence number of the first link that does not verify, 0 when all do
	Problem  string        `json:"problem"`   // what is wrong there, in words
}
