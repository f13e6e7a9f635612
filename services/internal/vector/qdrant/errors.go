package qdrant

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// mapped converts the client's errors to the port's. ctx is the caller's: when that has
// ended, its error is the reason; a timeout of the driver's own means ErrUnavailable.
func mapped(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", operation, ctx.Err())
	}
	sentinel := vector.ErrUnavailable
	switch status.Code(err) {
	case codes.NotFound:
		sentinel = vector.ErrNoGeneration
	case codes.InvalidArgument, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange:
		sentinel = vector.ErrInvalid
	}
	return fmt.Errorf("%s: %w: %w", operation, sentinel, err)
}
