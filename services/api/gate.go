package api

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// callerOf returns the request's principal. The door has authenticated every
// request.
func callerOf(ctx context.Context) memory.Principal { return access.Caller(ctx) }

// allowed returns an error in words for an agent when its credential does not allow a
// tool.
func allowed(ctx context.Context, tool string) error {
	if err := access.Check(callerOf(ctx), tool); err != nil {
		return request("%v", err)
	}
	return nil
}
