package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/store"
)

// AuditLog lists audit entries, newest first. A non-empty subject restricts the
// list to entries about that id.
func (o *Ops) AuditLog(ctx context.Context, subject string, before int64, limit int) ([]store.AuditEvent, error) {
	return o.Store.AuditEvents(ctx, o.Tenant, subject, before, limit)
}

// VerifyAudit recomputes the chain. With ErrAuditBroken the report is valid too.
func (o *Ops) VerifyAudit(ctx context.Context) (store.AuditReport, error) {
	report, err := o.Store.VerifyAudit(ctx, o.Tenant)
	if err == nil && report.BrokenAt != 0 {
		err = fmt.Errorf("%w: link %d: %s", ErrAuditBroken, report.BrokenAt, report.Problem)
	}
	return report, err
}

// VerifyRows compares the rows with the audit log, after [Ops.VerifyAudit]. The error is
// ErrAuditBroken and names the rows when some differ or are missing; the report is valid
// too.
func (o *Ops) VerifyRows(ctx context.Context) (store.RowReport, error) {
	report, err := o.Store.VerifyRows(ctx, o.Tenant)
	if err != nil {
		return report, err
	}
	var problems []string
	if len(report.Differ) > 0 {
		problems = append(problems, fmt.Sprintf("%d rows are not what was committed: %s", len(report.Differ), few(report.Differ)))
	}
	if len(report.Missing) > 0 {
		problems = append(problems, fmt.Sprintf("%d rows are missing: %s", len(report.Missing), few(report.Missing)))
	}
	if len(problems) > 0 {
		return report, fmt.Errorf("%w: %s", ErrAuditBroken, strings.Join(problems, "; "))
	}
	return report, nil
}

// few returns the first names of a list, and how many more there are.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
