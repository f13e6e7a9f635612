package postgres

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// Only bodies with digests; the pattern is a shortcut, the JSON decides.
	selectDigests = `
select b.body, e.subject from audit_links l join audit_events e using (tenant, link)
join audit_bodies b on b.tenant = e.tenant and b.link = e.link and b.n = e.n
where l.tenant = $1 and b.body like '%"` + digestsField + `":{%' order by l.seq, e.n`

	selectEvidenceRows = `
select tenant, subject, id, proposal_id, principal, session_id, origin, role, span, observed_at
from evidence where tenant = $1`
)

// rowCheck compares stored rows with what the audit says of them.
type rowCheck struct {
	want map[string]rowSaid // by key; rows that were found are removed
	// recorded has the proposals that a memory rests on, which retention never deletes.
	recorded map[string]bool
	report   store.RowReport
}

// rowSaid is what the log says of a row.
type rowSaid struct{ digest, subject string }

// VerifyRows implements [store.AuditLog]. It reads one snapshot. Its memory grows with
// the number of rows, about 150 bytes for each.
func (s *Store) VerifyRows(ctx context.Context, tenant memory.Tenant) (store.RowReport, error) {
	c := rowCheck{want: map[string]rowSaid{}, recorded: map[string]bool{}}
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
			c.recorded[m.ProposalID] = true
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
	var body, subject string
	_, err = pgx.ForEachRow(rows, []any{&body, &subject}, func() error {
		var said struct {
			Digests map[string]string `json:"sha256"`
		}
		if json.Unmarshal([]byte(body), &said) != nil {
			return nil // another kind of body
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

// retained counts what looks like the work of retention and not like a theft: a
// proposal that no memory rests on is gone, and its decisions and evidence with it.
func (c *rowCheck) retained() {
	var gone []string
	for key, said := range c.want {
		of := said.subject
		if _, missing := c.want[of]; missing && !c.recorded[of] && !strings.HasPrefix(key, memory.PrefixMemory) {
			gone = append(gone, key)
		}
	}
	for _, key := range gone {
		delete(c.want, key)
	}
	c.report.Retired = int64(len(gone))
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
