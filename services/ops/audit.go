package ops

import (
	"context"
	"fmt"

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
