package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// verifyChunk is the number of links of one read. Reading in chunks verifies a
// chain of any length in constant memory.
const verifyChunk = 64

const (
	selectHead = `select seq, hash from audit_heads where tenant = $1`

	// The limit applies to links and not to events, so that no link is split.
	selectChain = `
select l.seq, l.link, l.at, l.prev, l.root, l.hash, l.n, e.n, e.actor, e.principal, e.action, e.subject,
	e.commitment, b.salt, b.body
from (select * from audit_links where tenant = $1 and seq > $2 order by seq limit $3) l
left join audit_events e using (tenant, link)
left join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
order by l.seq, e.n`

	countAuditRows = `
select (select count(*) from audit_events where tenant = $1), (select count(*) from audit_bodies where tenant = $1)`
)

// chainLink is a stored link.
type chainLink struct {
	seq              int64
	id               [16]byte
	at               time.Time
	prev, root, hash []byte
	n                int32
}

// chainEvent is a stored event; the salt and the body are null after erasure.
type chainEvent struct {
	n                                 *int32 // null: the link has no events
	actor, principal, action, subject *string
	commitment, salt                  []byte
	body                              *string
}

// chain is the state of a verification.
type chain struct {
	report store.AuditReport
	bodies int64
	last   []byte // hash of the previous link
	link   chainLink
	root   auditRoot
	events int32
	// erased has the subjects of events without a body, each with the last such event;
	// recorded has the last link that says that a subject's bodies were erased.
	erased   map[string]erasedEvent
	recorded map[string]int64
	asked    []int64
}

// erasedEvent is an event whose body is gone.
type erasedEvent struct {
	seq int64
	n   int32
}

// Actions of entries that the database itself makes.
const (
	actionErased    = "audit.erased"
	actionRetired   = "retention.applied"
	actionForgotten = "memory.forgotten"
)

// VerifyAudit implements [store.AuditLog]. The verification reads one snapshot,
// so writers may run at the same time.
func (s *Store) VerifyAudit(ctx context.Context, tenant memory.Tenant, at ...int64) (store.AuditReport, error) {
	c := chain{
		report: store.AuditReport{Tenant: tenant, Hashes: map[int64]string{}}, asked: at, last: make([]byte, sha256.Size),
		erased: map[string]erasedEvent{}, recorded: map[string]int64{},
	}
	err := pgx.BeginTxFunc(ctx, s.app, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setTenant, string(tenant)); err != nil {
			return err
		}
		for {
			before := c.report.Links
			if err := c.readChunk(ctx, tx); err != nil {
				return err
			}
			if c.report.BrokenAt != 0 {
				return nil
			}
			if c.report.Links == before {
				return c.checkEnds(ctx, tx)
			}
		}
	})
	c.report.Head = hex.EncodeToString(c.last)
	return c.report, mapError("verify audit", err)
}

// readChunk verifies the next links, up to the first broken link.
func (c *chain) readChunk(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, selectChain, string(c.report.Tenant), c.link.seq, verifyChunk)
	if err != nil {
		return err
	}
	var l chainLink
	var e chainEvent
	open := false
	_, err = pgx.ForEachRow(rows, []any{&l.seq, &l.id, &l.at, &l.prev, &l.root, &l.hash, &l.n,
		&e.n, &e.actor, &e.principal, &e.action, &e.subject, &e.commitment, &e.salt, &e.body}, func() error {
		if c.report.BrokenAt != 0 {
			return nil
		}
		if !open || l.seq != c.link.seq {
			if open {
				c.closeLink()
			}
			c.openLink(l)
			open = true
		}
		c.addEvent(e)
		return nil
	})
	if open && c.report.BrokenAt == 0 {
		c.closeLink()
	}
	return err
}

func (c *chain) broken(seq int64, format string, args ...any) {
	if c.report.BrokenAt == 0 {
		c.report.BrokenAt, c.report.Problem = seq, fmt.Sprintf(format, args...)
	}
}

func (c *chain) openLink(l chainLink) {
	if want := c.report.Links + 1; l.seq != want {
		c.broken(want, "link %d is missing", want)
		return
	}
	// The next row reuses the scanned slices.
	l.prev, l.root, l.hash = bytes.Clone(l.prev), bytes.Clone(l.root), bytes.Clone(l.hash)
	c.link, c.root, c.events = l, newAuditRoot(), 0
}

func (c *chain) addEvent(e chainEvent) {
	if e.n == nil || c.report.BrokenAt != 0 {
		return
	}
	seq := c.link.seq
	if *e.n != c.events {
		c.broken(seq, "event %d is missing", c.events)
		return
	}
	c.events++
	c.report.Events++
	c.root.add(*e.n, *e.actor, *e.principal, *e.action, *e.subject, e.commitment)
	if *e.action == actionErased {
		c.recorded[*e.subject] = seq
	}
	if e.body == nil {
		c.report.Erased++
		c.erased[*e.subject] = erasedEvent{seq, *e.n}
		return
	}
	c.bodies++
	if !bytes.Equal(commit(e.salt, []byte(*e.body)), e.commitment) {
		c.broken(seq, "the body of event %d is not the one that was committed to", *e.n)
	}
}

func (c *chain) closeLink() {
	l := c.link
	switch {
	case c.report.BrokenAt != 0:
	case c.events != l.n:
		c.broken(l.seq, "the link has %d events and says %d", c.events, l.n)
	case !bytes.Equal(c.root.sum(), l.root):
		c.broken(l.seq, "an event of the link was changed")
	case !bytes.Equal(l.prev, c.last):
		c.broken(l.seq, "the link does not follow the one before")
	case !bytes.Equal(linkHash(c.report.Tenant, l), l.hash):
		c.broken(l.seq, "the link was changed")
	default:
		c.report.Links++
		c.last = l.hash
		if slices.Contains(c.asked, l.seq) {
			c.report.Hashes[l.seq] = hex.EncodeToString(l.hash)
		}
		if c.report.First.IsZero() {
			c.report.First = l.at.UTC()
		}
		c.report.Last = l.at.UTC()
	}
}

// linkHash computes the hash of a link as winnow_audit_append does.
func linkHash(tenant memory.Tenant, l chainLink) []byte {
	buf := []byte("winnow/audit/v1")
	buf = append(buf, l.prev...)
	for _, n := range []int64{l.seq, l.at.UnixMicro(), int64(l.n), int64(len(tenant))} {
		buf = binary.BigEndian.AppendUint64(buf, uint64(n))
	}
	buf = append(buf, tenant...)
	buf = append(buf, l.id[:]...)
	buf = append(buf, l.root...)
	sum := sha256.Sum256(buf)
	return sum[:]
}

// checkEnds compares the head with the last link, and counts rows that belong to
// no link.
func (c *chain) checkEnds(ctx context.Context, tx pgx.Tx) error {
	tenant := string(c.report.Tenant)
	rows, err := tx.Query(ctx, selectHead, tenant)
	if err != nil {
		return err
	}
	var seq int64
	var hash []byte
	if _, err := pgx.ForEachRow(rows, []any{&seq, &hash}, func() error { return nil }); err != nil {
		return err
	}
	switch last := c.report.Links; {
	case seq < last:
		c.broken(seq+1, "the head stands at %d and the chain goes on", seq)
	case seq > last:
		c.broken(last+1, "the head stands at %d and the chain ends at %d", seq, last)
	case last > 0 && !bytes.Equal(hash, c.last):
		c.broken(last, "the head is not the hash of the last link")
	}
	var events, bodies int64
	if err := tx.QueryRow(ctx, countAuditRows, tenant).Scan(&events, &bodies); err != nil {
		return err
	}
	if events != c.report.Events || bodies != c.bodies {
		c.broken(c.report.Links+1, "%d events and %d bodies belong to no link", events-c.report.Events, bodies-c.bodies)
	}
	c.checkErasures()
	return nil
}

// checkErasures reports bodies that are gone though no later entry says that the bodies
// about their subject were erased. Erasing makes such an entry; deleting does not.
func (c *chain) checkErasures() {
	var stolen []string
	first := erasedEvent{seq: c.report.Links + 1}
	for subject, e := range c.erased {
		if c.recorded[subject] > e.seq {
			continue
		}
		stolen = append(stolen, subject)
		if e.seq < first.seq || e.seq == first.seq && e.n < first.n {
			first = e
		}
	}
	if len(stolen) == 0 {
		return
	}
	slices.Sort(stolen)
	more := ""
	if len(stolen) > namedSubjects {
		more = fmt.Sprintf(" and %d more", len(stolen)-namedSubjects)
		stolen = stolen[:namedSubjects]
	}
	c.broken(first.seq, "bodies are gone and no entry says that they were erased: of event %d here; in all about %s%s",
		first.n, strings.Join(stolen, ", "), more)
}

// namedSubjects is how many ids a problem names.
const namedSubjects = 10
