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
	Seq       int64 // of the link
	N         int   // within the link
	At        time.Time
	Actor     memory.Actor
	Principal string
	Action    string
	Subject   string
	Body      json.RawMessage
}

// AuditReport is the result of a verification.
type AuditReport struct {
	Tenant   memory.Tenant
	Links    int64
	Events   int64
	Erased   int64  // events whose body is gone; their commitments still count
	Head     string // hex hash of the last link
	BrokenAt int64  // sequence number of the first link that does not verify, 0 when all do
	Problem  string // what is wrong there, in words
}
