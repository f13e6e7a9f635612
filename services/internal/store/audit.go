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
	// AuditHead returns the sequence number and the hex hash of the last link
	// of the chain; 0 and empty while the chain has no link.
	AuditHead(ctx context.Context, tenant memory.Tenant) (seq int64, hash string, err error)
	// AuditEvents lists events from newest to oldest, at most limit (default
	// 100), before a sequence number (0: from the head). A non-empty subject
	// restricts the list to events about that subject.
	AuditEvents(ctx context.Context, tenant memory.Tenant, subject string, before int64, limit int) ([]AuditEvent, error)
	// SignedHeads returns the notes that KeepSigned stored, the newest first, at most
	// limit (default 100). Package signed reads them.
	SignedHeads(ctx context.Context, tenant memory.Tenant, limit int) ([]string, error)
	// VerifyAudit recomputes the whole chain. The report counts the links, the
	// events and the erased bodies, and names the first broken link. A body that is gone
	// breaks the chain too, unless a later entry says that the bodies about its subject
	// were erased.
	// It returns the hashes of the links at, which signed heads name.
	VerifyAudit(ctx context.Context, tenant memory.Tenant, at ...int64) (AuditReport, error)
	// VerifyRows compares the stored proposals, memories, decisions and evidence with
	// the digests in the audit bodies. The bodies are what was committed to only when
	// VerifyAudit says so.
	VerifyRows(ctx context.Context, tenant memory.Tenant) (RowReport, error)
}

// HeadKeeper is what the relay needs of the chains of all tenants to sign their heads. It
// reads no row of theirs.
type HeadKeeper interface {
	// AuditHeads returns the end of every tenant's chain that has a link.
	AuditHeads(ctx context.Context) ([]AuditHead, error)
	// AuditLink returns the hex hash of a link, empty when there is none, and the note
	// that KeepSigned stored last.
	AuditLink(ctx context.Context, tenant memory.Tenant, seq int64) (hash, newest string, err error)
	// KeepSigned stores a signed head beside the chain.
	KeepSigned(ctx context.Context, tenant memory.Tenant, seq int64, note string) error
}

// AuditHead is the end of a tenant's chain.
type AuditHead struct {
	Tenant memory.Tenant
	Seq    int64
	Hash   string // hex
}

// AuditEvent is one entry of the audit log. Body is nil after erasure.
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
	Erased   int64         `json:"erased"`    // events with an erased body; their commitments still count
	Head     string        `json:"head"`      // hex hash of the last link
	BrokenAt int64         `json:"broken_at"` // sequence number of the first link that does not verify, 0 when all do
	Problem  string        `json:"problem"`   // the problem of the link at BrokenAt, in words

	// First and Last are the times of the first and the last link, Hashes the hex hashes
	// of the links that were asked for and verify.
	First, Last time.Time        `json:"-"`
	Hashes      map[int64]string `json:"-"`
}

// RowReport is the result of a comparison of the rows with the audit log. Rows are
// named by their id, evidence as subject/id.
type RowReport struct {
	Checked int64 `json:"checked"` // rows whose digest the log has
	// NotCovered counts rows that the log has no digest of: from before there were
	// digests, written without an entry, or with an erased body.
	NotCovered int64 `json:"not_covered"`
	// Retired counts rows that are gone and that an entry of retention names.
	Retired int64 `json:"retired"`
	// Forgotten counts rows without words, or gone, that an entry of winnow forget names.
	Forgotten int64    `json:"forgotten"`
	Differ    []string `json:"differ,omitempty"`  // rows that are not what was committed
	Missing   []string `json:"missing,omitempty"` // other rows that are gone
}
