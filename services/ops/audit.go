package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/signed"
)

// AuditLog lists audit entries, newest first. A non-empty subject restricts the
// list to entries about that id.
func (o *Ops) AuditLog(ctx context.Context, subject string, before int64, limit int) ([]store.AuditEvent, error) {
	return o.Store.AuditEvents(ctx, o.Tenant, subject, before, limit)
}

// Verified is the result of a verification of the whole audit log.
type Verified struct {
	store.AuditReport
	Signed signed.Report    `json:"signed"`
	Rows   *store.RowReport `json:"rows,omitempty"` // nil when they were left out
}

// Heads are signed heads that were found, notes about places that could not be asked, and
// the public keys that are trusted.
type Heads struct {
	Found   []signed.Found
	Notes   []string
	Trusted []string
}

// VerifyAudit recomputes the chain, holds it against signed heads, and compares the rows
// with it unless they are left out. heads were gathered before the call, so that the
// chain has all of them. The error is ErrAuditBroken with every problem; the report is
// valid then too.
func (o *Ops) VerifyAudit(ctx context.Context, heads Heads, leaveRows bool) (Verified, error) {
	var v Verified
	var err error
	if v.AuditReport, err = o.Store.VerifyAudit(ctx, o.Tenant, signed.Seqs(heads.Found)...); err != nil {
		return v, err
	}
	var problems []string
	if v.BrokenAt != 0 {
		problems = append(problems, fmt.Sprintf("link %d: %s", v.BrokenAt, v.Problem))
	} else {
		v.Signed = signed.Check(o.chainOf(v.AuditReport), heads.Trusted, heads.Found)
		v.Signed.Notes = append(v.Signed.Notes, heads.Notes...)
		problems = append(problems, v.Signed.Problems...)
	}
	if !leaveRows {
		rows, found, err := o.verifyRows(ctx)
		if err != nil {
			return v, err
		}
		v.Rows = &rows
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		return v, fmt.Errorf("%w: %s", ErrAuditBroken, strings.Join(problems, "\n  "))
	}
	return v, nil
}

func (o *Ops) chainOf(r store.AuditReport) signed.Chain {
	return signed.Chain{Tenant: o.Tenant, Links: r.Links, First: r.First, Last: r.Last, Hash: func(seq int64) string { return r.Hashes[seq] }}
}

// AcceptAudit signs the chain as it is, after an older backup was restored: heads signed
// before that name links beyond the last one that agrees count no more. The relay
// publishes it. The chain has to verify by itself, with its rows; then the error is
// ErrAuditBroken, and ErrState when no signed head contradicts the chain.
func (o *Ops) AcceptAudit(ctx context.Context, key signed.Key, heads Heads) (signed.Head, error) {
	r, err := o.Store.VerifyAudit(ctx, o.Tenant, signed.Seqs(heads.Found)...)
	if err != nil {
		return signed.Head{}, err
	}
	if r.BrokenAt != 0 {
		return signed.Head{}, fmt.Errorf("%w: link %d: %s", ErrAuditBroken, r.BrokenAt, r.Problem)
	}
	if _, problems, err := o.verifyRows(ctx); err != nil || len(problems) > 0 {
		return signed.Head{}, errors.Join(err, fmt.Errorf("%w: %s", ErrAuditBroken, strings.Join(problems, "\n  ")))
	}
	agreed := signed.Check(o.chainOf(r), heads.Trusted, heads.Found)
	if len(agreed.Problems) == 0 {
		return signed.Head{}, fmt.Errorf("%w: no signed head contradicts the audit log; there is nothing to accept", ErrState)
	}
	h := signed.Head{Tenant: o.Tenant, Seq: r.Links, Hash: r.Head, At: o.Now(), Accepted: true}
	if agreed.Newest != nil {
		h.Since = agreed.Newest.Seq
	}
	if r.Links == 0 {
		return h, fmt.Errorf("%w: the audit log is empty; there is no link to sign", ErrState)
	}
	return h, o.Store.KeepSigned(ctx, o.Tenant, h.Seq, key.Sign(h))
}

// verifyRows compares the rows with the audit log, whose chain verifies, and returns its
// problems in words that name the rows.
func (o *Ops) verifyRows(ctx context.Context) (report store.RowReport, problems []string, err error) {
	report, err = o.Store.VerifyRows(ctx, o.Tenant)
	if err != nil {
		return report, nil, err
	}
	if len(report.Differ) > 0 {
		problems = append(problems, fmt.Sprintf("%d rows are not what was committed: %s", len(report.Differ), few(report.Differ)))
	}
	if len(report.Missing) > 0 {
		problems = append(problems, fmt.Sprintf("%d rows are missing: %s", len(report.Missing), few(report.Missing)))
	}
	return report, problems, nil
}

// few returns the first names of a list, and how many more there are.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
