package postgres

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// saltSize is the size of a commitment's salt in bytes. With the salt an erased
// body cannot be guessed from its commitment.
const saltSize = 16

// auditLink is one transaction's link of the chain. The events are hashed before
// the statements are sent, so that the database hashes only the link itself under
// the lock of the head.
type auditLink struct {
	id     [16]byte
	events []auditEntry
	root   []byte
	// seq is the link's sequence number, set when the link is appended.
	seq int64
}

// auditEntry is one event with its salt, its body and the commitment to both.
type auditEntry struct {
	change.Audit
	n          int32
	salt, body []byte
	commitment []byte
}

// newAuditLink builds the link of the set's events, with a commitment to each body. The
// bodies have the digests of the rows that the set writes, so that the chain covers the
// rows too.
func newAuditLink(tenant memory.Tenant, set *change.Set) (auditLink, error) {
	entries := set.Audit
	digests := rowDigests(tenant, set)
	l := auditLink{id: ulid.Make(), events: make([]auditEntry, len(entries))}
	salts := make([]byte, saltSize*len(entries))
	if _, err := rand.Read(salts); err != nil {
		return l, fmt.Errorf("audit salt: %w", err)
	}
	root := newAuditRoot()
	for i, a := range entries {
		body, err := json.Marshal(a.Body)
		if err != nil {
			return l, fmt.Errorf("%w: audit body of %s: %w", store.ErrInvalid, a.Action, err)
		}
		body = withDigests(body, digests[i])
		e := &l.events[i]
		*e = auditEntry{Audit: a, n: int32(i), salt: salts[i*saltSize : (i+1)*saltSize], body: body}
		e.commitment = commit(e.salt, body)
		root.add(e.n, string(a.Actor), a.Principal, a.Action, a.Subject, e.commitment)
	}
	l.root = root.sum()
	return l, nil
}

// commit returns the commitment to a body. The commitment does not reveal the
// body.
func commit(salt, body []byte) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write(body)
	return h.Sum(nil)
}

// auditRoot hashes the events of one link in their order.
type auditRoot struct{ h hash.Hash }

func newAuditRoot() auditRoot {
	r := auditRoot{sha256.New()}
	r.h.Write([]byte("winnow/audit/root/v1"))
	return r
}

func (r auditRoot) add(n int32, actor, principal, action, subject string, commitment []byte) {
	var buf []byte
	buf = binary.BigEndian.AppendUint64(buf, uint64(n))
	for _, field := range []string{actor, principal, action, subject, string(commitment)} {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(field)))
		buf = append(buf, field...)
	}
	r.h.Write(buf)
}

func (r auditRoot) sum() []byte { return r.h.Sum(nil) }

const (
	insertAuditEvents = `
insert into audit_events (tenant, link, n, actor, principal, action, subject, commitment)
select $1, $2, r.* from unnest($3::int4[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[]) as r`

	insertAuditBodies = `
insert into audit_bodies (tenant, link, n, salt, body)
select $1, $2, r.* from unnest($3::int4[], $4::bytea[], $5::text[]) as r`

	appendAuditLink = `select winnow_audit_append($1, $2, $3)`
)

// queue adds the events and then the link. The link comes last because appending
// the link locks the head.
func (l *auditLink) queue(b *pgx.Batch, tenant memory.Tenant) {
	if len(l.events) == 0 {
		return
	}
	type row = auditEntry
	rows := l.events
	numbers := column(rows, func(e *row) int32 { return e.n })
	b.Queue(insertAuditEvents, string(tenant), l.id, numbers,
		column(rows, func(e *row) string { return string(e.Actor) }),
		column(rows, func(e *row) string { return e.Principal }),
		column(rows, func(e *row) string { return e.Action }),
		column(rows, func(e *row) string { return e.Subject }),
		column(rows, func(e *row) []byte { return e.commitment }))
	b.Queue(insertAuditBodies, string(tenant), l.id, numbers,
		column(rows, func(e *row) []byte { return e.salt }),
		column(rows, func(e *row) string { return string(e.body) }))
	b.Queue(appendAuditLink, l.id, int32(len(rows)), l.root).QueryRow(func(row pgx.Row) error {
		return row.Scan(&l.seq)
	})
}
