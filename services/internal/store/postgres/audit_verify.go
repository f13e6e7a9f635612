package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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
}

// erasedEvent is an event whose body is gone.
type erasedEvent struct {
	seq int64
	n   int32
}

// Actions of entries that the database itself makes.
const (
	actionErased  = "audit.erased"
	actionRetired = "retention.applied"
)

// VerifyAudit implements [store.AuditLog]. The verification reads one snapshot,
// so writers may run at the same time.
func (s *Store) VerifyAudit(ctx context.Context, tenant memory.Tenant) (store.AuditReport, error) {
	c := chain{
		report: store.AuditReport{Tenant: tenant}, last: make([]byte, sha256.Size),
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

const (
	// Only bodies with digests, and those that name deleted rows; the pattern is a
	// shortcut, the JSON decides.
	selectDigests = `
select b.body, e.subject, e.action from audit_links l join audit_events e using (tenant, link)
join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where l.tenant = $1 and (b.body like '%"` + digestsField + `":{%' or e.action = '` + actionRetired + `') order by l.seq, e.n`

	selectEvidenceRows = `
select tenant, subject, id, proposal_id, principal, session_id, origin, role, span, observed_at
from evidence where tenant = $1`
)

// rowCheck compares stored rows with what the audit says of them.
type rowCheck struct {
	want map[string]rowSaid // by key; rows that were found are removed
	// retired has the keys of rows that entries of retention name, and of proposals
	// that were gone, with what hung on them, when entries began.
	retired, before map[string]bool
	report          store.RowReport
}

// rowSaid is what the log says of a row.
type rowSaid struct{ digest, subject string }

// VerifyRows implements [store.AuditLog]. It reads one snapshot. Its memory grows with
// the number of rows, about 150 bytes for each.
func (s *Store) VerifyRows(ctx context.Context, tenant memory.Tenant) (store.RowReport, error) {
	c := rowCheck{want: map[string]rowSaid{}, retired: map[string]bool{}, before: map[string]bool{}}
	err := pgx.BeginTxFunc(ctx, s.app, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setTenant, string(tenant)); err != nil {
			return err
		}
		if err := c.readDigests(ctx, tx, tenant); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+proposalColumns+` from proposals p where p.tenant = $1`, scanProposal, func(p *memory.Proposal) {
			c.found(p.ID, digestOfProposal(tenant, p))
		}); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+memoryColumns+` from memories m where m.tenant = $1`, scanMemory, func(m *memory.Memory) {
			c.found(m.ID, digestOfMemory(tenant, m))
		}); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+decisionColumns+` from decisions d where d.tenant = $1`, scanDecision, func(d *memory.Decision) {
			c.found(d.ID, digestOfDecision(tenant, d))
		}); err != nil {
			return err
		}
		return eachRow(ctx, tx, tenant, selectEvidenceRows, scanEvidence, func(e *memory.Evidence) {
			c.found(evidenceKey(e), digestOfEvidence(tenant, e))
		})
	})
	if err != nil {
		return c.report, mapError("verify rows", err)
	}
	c.retained()
	c.report.Missing = slices.Sorted(maps.Keys(c.want))
	slices.Sort(c.report.Differ)
	return c.report, nil
}

// readDigests reads the digests in the order of the chain, so that the last word on a
// row counts.
func (c *rowCheck) readDigests(ctx context.Context, tx pgx.Tx, tenant memory.Tenant) error {
	rows, err := tx.Query(ctx, selectDigests, string(tenant))
	if err != nil {
		return err
	}
	var body, subject, action string
	_, err = pgx.ForEachRow(rows, []any{&body, &subject, &action}, func() error {
		var said struct {
			Digests map[string]string `json:"sha256"`
			Rows    []string          `json:"rows"`
			Before  bool              `json:"before"`
		}
		if json.Unmarshal([]byte(body), &said) != nil {
			return nil //nolint:nilerr // another kind of body has no digests
		}
		if action == actionRetired {
			for _, key := range said.Rows {
				c.retired[key] = true
				c.before[key] = c.before[key] || said.Before
			}
			return nil
		}
		for key, digest := range said.Digests {
			if digest == "" {
				delete(c.want, key)
				continue
			}
			c.want[key] = rowSaid{digest, subject}
		}
		return nil
	})
	return err
}

// retained counts rows that are gone and named by an entry of retention. Before there
// were such entries, a proposal's decisions and evidence went with it.
func (c *rowCheck) retained() {
	for key, said := range c.want {
		if c.retired[key] || c.before[said.subject] && !strings.HasPrefix(key, memory.PrefixMemory) {
			delete(c.want, key)
			c.report.Retired++
		}
	}
}

func (c *rowCheck) found(key, digest string) {
	switch want, covered := c.want[key]; {
	case !covered:
		c.report.NotCovered++
	case want.digest != digest:
		c.report.Checked++
		c.report.Differ = append(c.report.Differ, key)
	default:
		c.report.Checked++
	}
	delete(c.want, key)
}

// eachRow calls do with each row of a query about a tenant.
func eachRow[R any](ctx context.Context, tx pgx.Tx, tenant memory.Tenant, query string, scan pgx.RowToFunc[R], do func(*R)) error {
	rows, err := tx.Query(ctx, query, string(tenant))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return err
		}
		do(&r)
	}
	return rows.Err()
}
