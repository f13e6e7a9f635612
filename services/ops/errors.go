package ops

import (
	"errors"

	"github.com/winnowhq/winnow/services/internal/review"
)

var (
	// ErrAuditBroken says that the audit chain does not verify.
	ErrAuditBroken = errors.New("the audit log does not verify")
	// ErrPartial says that some of what was asked was done.
	ErrPartial = errors.New("done in part")
	// ErrState says that a row is not in a state in which this can be done.
	ErrState = review.ErrState
)
