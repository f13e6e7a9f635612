package ops

import (
	"errors"

	"github.com/winnowhq/winnow/services/internal/review"
)

var (
	// ErrAuditBroken says that the audit chain does not verify.
	ErrAuditBroken = errors.New("the audit log does not verify")
	// ErrPartial says that only a part of the request was done.
	ErrPartial = errors.New("done in part")
	// ErrState says that the state of a row does not allow the operation.
	ErrState = review.ErrState
)
