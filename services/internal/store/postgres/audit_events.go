package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	auditColumns = `l.seq, e.n, l.at, e.actor, e.principal, e.action, e.subject, b.body`

	selectAudit = `
select ` + auditColumns + `
from audit_links l join audit_events e using (tenant, link)
left join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where l.tenant = $1 and l.seq < $2 order by l.seq desc, e.n desc limit $3`

	// For one subject the join starts at the events: a subject has few.
	selectAuditOf = `
select ` + auditColumns + `
from audit_events e join audit_links l using (tenant, link)
left join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where e.tenant = $1 and e.subject = $4 and l.seq < $2 order by l.seq desc, e.n desc limit $3`
)

// AuditHead implements [store.AuditLog].
func (s *Store) AuditHead(ctx context.Context, tenant memory.Tenant) (seq int64, hash string, err error) {
	_, err = list(ctx, s, tenant, "read audit head", func(row pgx.CollectableRow) (_ struct{}, err error) {
		var sum []byte
		err = row.Scan(&seq, &sum)
		hash = hex.EncodeToString(sum)
		return struct{}{}, err
	}, selectHead, string(tenant))
	return seq, hash, err
}

// SignedHeads implements [store.AuditLog].
func (s *Store) SignedHeads(ctx context.Context, tenant memory.Tenant, limit int) ([]string, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	return list(ctx, s, tenant, "read signed heads", pgx.RowTo[string],
		`select note from audit_signatures where tenant = $1 order by signed_at desc limit $2`, string(tenant), limit)
}

// AuditHeads implements [store.HeadKeeper].
func (s *Store) AuditHeads(ctx context.Context) ([]store.AuditHead, error) {
	rows, err := s.relay.Query(ctx, `select tenant, seq, encode(hash, 'hex') from winnow_audit_heads()`)
	if err != nil {
		return nil, mapError("read audit heads", err)
	}
	heads, err := pgx.CollectRows(rows, pgx.RowToStructByPos[store.AuditHead])
	return heads, mapError("read audit heads", err)
}

// AuditLink implements [store.HeadKeeper].
func (s *Store) AuditLink(ctx context.Context, tenant memory.Tenant, seq int64) (hash, newest string, err error) {
	err = s.relay.QueryRow(ctx, `select coalesce(encode(hash, 'hex'), ''), coalesce(newest, '') from winnow_audit_link($1, $2)`,
		string(tenant), seq).Scan(&hash, &newest)
	return hash, newest, mapError("read audit link", err)
}

// KeepSigned implements [store.HeadKeeper].
func (s *Store) KeepSigned(ctx context.Context, tenant memory.Tenant, seq int64, note string) error {
	_, err := s.relay.Exec(ctx, `select winnow_audit_signed($1, $2, $3)`, string(tenant), seq, note)
	return mapError("keep signed head", err)
}

// AuditEvents implements [store.AuditLog].
func (s *Store) AuditEvents(ctx context.Context, tenant memory.Tenant, subject string, before int64, limit int) ([]store.AuditEvent, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	if limit <= 0 {
		limit = defaultLimit
	}
	query, args := selectAudit, []any{string(tenant), before, limit}
	if subject != "" {
		query, args = selectAuditOf, append(args, subject)
	}
	return list(ctx, s, tenant, "read audit log", func(row pgx.CollectableRow) (e store.AuditEvent, err error) {
		var body *string
		err = row.Scan(&e.Seq, &e.N, nullable(&e.At), &e.Actor, &e.Principal, &e.Action, &e.Subject, &body)
		if body != nil {
			e.Body = json.RawMessage(*body)
		}
		return e, err
	}, query, args...)
}

const (
	// Only bodies with digests, and those that name deleted rows; the pattern is a
	// shortcut, the JSON decides.
	selectDigests = `
select b.body, e.subject, e.action from audit_links l join audit_events e using (tenant, link)
join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where l.tenant = $1 and (b.body like '%"` + digestsField + `":{%' or e.action in ('` + actionRetired + `', '` + actionForgotten + `')) order by l.seq, e.n`

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
	// forgotten has the keys of rows that a person had erased (winnow forget).
	forgotten map[string]bool
	report    store.RowReport
}

// rowSaid is what the log says of a row.
type rowSaid struct{ digest, subject string }

// VerifyRows implements [store.AuditLog]. It reads one snapshot. Its memory grows with
// the number of rows, about 150 bytes for each.
func (s *Store) VerifyRows(ctx context.Context, tenant memory.Tenant) (store.RowReport, error) {
	c := rowCheck{want: map[string]rowSaid{}, retired: map[string]bool{}, before: map[string]bool{}, forgotten: map[string]bool{}}
	err := pgx.BeginTxFunc(ctx, s.app, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setTenant, string(tenant)); err != nil {
			return err
		}
		if err := c.readDigests(ctx, tx, tenant); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+proposalColumns+` from proposals p where p.tenant = $1`, scanProposal, func(p *memory.Proposal) {
			c.found(p.ID, digestOfProposal(tenant, p), p.Text+p.Title+p.Description == "")
		}); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+memoryColumns+` from memories m where m.tenant = $1`, scanMemory, func(m *memory.Memory) {
			c.found(m.ID, digestOfMemory(tenant, m), m.Text+m.Title+m.Description == "")
		}); err != nil {
			return err
		}
		if err := eachRow(ctx, tx, tenant, `select `+decisionColumns+` from decisions d where d.tenant = $1`, scanDecision, func(d *memory.Decision) {
			c.found(d.ID, digestOfDecision(tenant, d), true)
		}); err != nil {
			return err
		}
		return eachRow(ctx, tx, tenant, selectEvidenceRows, scanEvidence, func(e *memory.Evidence) {
			c.found(evidenceKey(e), digestOfEvidence(tenant, e), e.Span == "")
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
		if action == actionForgotten {
			for _, key := range said.Rows {
				c.forgotten[key] = true
			}
			return nil
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
		if c.forgotten[key] {
			delete(c.want, key)
			c.report.Forgotten++
			continue
		}
		if c.retired[key] || c.before[said.subject] && !strings.HasPrefix(key, memory.PrefixMemory) {
			delete(c.want, key)
			c.report.Retired++
		}
	}
}

// found compares a row. One that was erased may differ, when nothing is left of its words:
// a text in its place is a forgery.
func (c *rowCheck) found(key, digest string, wordless bool) {
	switch want, covered := c.want[key]; {
	case c.forgotten[key] && wordless:
		c.report.Forgotten++
	case c.forgotten[key]:
		c.report.Checked++
		c.report.Differ = append(c.report.Differ, key)
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
