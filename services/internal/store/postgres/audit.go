package postgres

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"time"

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

// digestsField is the field of an audit body that holds the digests of the rows that
// the link wrote: by the row's key, its digest, or empty for a row that the link
// deleted.
const digestsField = "sha256"

// rowDigests returns the digests of the set's rows by the event whose body holds them.
// It is the event about the row's proposal or memory, so that erasing what is said of
// one leaves nothing of the other; else the first. Without an event there is no body,
// and the rows are not covered.
func rowDigests(tenant memory.Tenant, set *change.Set) []map[string]string {
	if len(set.Audit) == 0 {
		return nil
	}
	about := make(map[string]int, len(set.Audit))
	for i := len(set.Audit) - 1; i >= 0; i-- {
		about[set.Audit[i].Subject] = i
	}
	all := make([]map[string]string, len(set.Audit))
	add := func(key, digest string, subjects ...string) {
		at := 0
		for _, s := range subjects {
			if i, ok := about[s]; ok && s != "" {
				at = i
				break
			}
		}
		if all[at] == nil {
			all[at] = map[string]string{}
		}
		all[at][key] = digest
	}
	for i := range set.Proposals {
		p := &set.Proposals[i]
		add(p.ID, digestOfProposal(tenant, p), p.ID)
	}
	for i := range set.Memories {
		m := &set.Memories[i]
		add(m.ID, digestOfMemory(tenant, m), m.ID, m.ProposalID)
	}
	for i := range set.Decisions {
		d := &set.Decisions[i]
		add(d.ID, digestOfDecision(tenant, d), d.ProposalID, d.MemoryID)
	}
	for i := range set.Evidence {
		e := &set.Evidence[i]
		add(evidenceKey(e), digestOfEvidence(tenant, e), e.Subject, e.ProposalID)
	}
	for i := range set.DroppedEvidence {
		e := &set.DroppedEvidence[i]
		add(evidenceKey(e), "", e.Subject, e.ProposalID)
	}
	return all
}

func evidenceKey(e *memory.Evidence) string { return e.Subject + "/" + e.ID }

// withDigests adds the digests to a JSON body. A body that is no object becomes the
// field body of one.
func withDigests(body []byte, digests map[string]string) []byte {
	if len(digests) == 0 {
		return body
	}
	list, _ := json.Marshal(digests) // strings cannot fail
	var out bytes.Buffer
	switch {
	case bytes.Equal(body, []byte("null")), bytes.Equal(body, []byte("{}")):
		out.WriteByte('{')
	case body[0] == '{':
		out.Write(body[:len(body)-1])
		out.WriteByte(',')
	default:
		out.WriteString(`{"body":`)
		out.Write(body)
		out.WriteByte(',')
	}
	out.WriteString(`"` + digestsField + `":`)
	out.Write(list)
	out.WriteByte('}')
	return out.Bytes()
}

// canonical collects the columns of a row that nothing changes after the insert, each
// with its length, so that no two rows have the same bytes.
type canonical struct{ buf []byte }

func newCanonical(kind string, tenant memory.Tenant) *canonical {
	c := &canonical{buf: make([]byte, 0, 1024)}
	return c.text("winnow/row/v1", kind, string(tenant))
}

func (c *canonical) text(values ...string) *canonical {
	for _, v := range values {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(len(v)))
		c.buf = append(c.buf, v...)
	}
	return c
}

func (c *canonical) list(values []string) *canonical {
	c.number(int64(len(values)))
	return c.text(values...)
}

func (c *canonical) number(values ...int64) *canonical {
	for _, v := range values {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v))
	}
	return c
}

// at adds times in the database's resolution, microseconds.
func (c *canonical) at(times ...time.Time) *canonical {
	for _, t := range times {
		if t.IsZero() {
			c.number(math.MinInt64)
			continue
		}
		c.number(t.UnixMicro())
	}
	return c
}

func (c *canonical) sum() string {
	sum := sha256.Sum256(c.buf)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// digestOfProposal leaves out what triage and people change: state, kind, section,
// target, decision, counts and authority.
func digestOfProposal(tenant memory.Tenant, p *memory.Proposal) string {
	return newCanonical("proposal", tenant).
		text(p.ID, string(p.Scope), p.Title, p.Text, p.Description, p.Category, p.Outcome, p.Principal, p.EventID, p.SessionID).
		list(p.Tags).list(p.Topics).list(p.MacroTopics).
		number(int64(p.Importance), int64(p.Origin), int64(math.Float64bits(p.Confidence))).
		at(p.ObservedAt, p.CreatedAt).sum()
}

// digestOfMemory leaves out what is learned, confirmed and archived, and the topics,
// which a summary loses in the archive.
func digestOfMemory(tenant memory.Tenant, m *memory.Memory) string {
	kind := m.Kind
	if kind == memory.KindSummaryArchived {
		kind = memory.KindSummary
	}
	return newCanonical("memory", tenant).
		text(m.ID, string(m.Scope), string(kind), m.Section, m.Title, m.Description, m.Text, m.Category, m.Outcome, m.Principal, m.ProposalID, m.DecisionID).
		list(m.Tags).
		number(int64(m.Importance), int64(m.Origin)).
		at(m.ObservedAt, m.CreatedAt).sum()
}

// digestOfDecision covers what was decided, by what and why. The compared candidates
// and the inputs are left out: a replay of the decision checks them.
func digestOfDecision(tenant memory.Tenant, d *memory.Decision) string {
	var e encoder
	return newCanonical("decision", tenant).
		text(d.ID, string(d.Scope), d.ProposalID, string(d.Verdict), d.Rule, string(d.Advice), d.Reason, d.Target, d.MemoryID,
			d.Policy, d.PolicyVersion, d.Calibration, e.raw(d.Features), d.Principal, string(d.Actor), d.Undoes).
		list(d.Fired).number(int64(d.Authority)).at(d.At).sum()
}

func digestOfEvidence(tenant memory.Tenant, e *memory.Evidence) string {
	return newCanonical("evidence", tenant).
		text(e.Subject, e.ID, e.ProposalID, e.Principal, e.SessionID, e.Role, e.Span).
		number(int64(e.Origin)).at(e.ObservedAt).sum()
}
