package distill_test

import (
	"context"
	"errors"
	"testing"

	"github.com/winnowhq/winnow/services/distill"
)

// Long sessions wait for each other; a session larger than the whole bound runs
// alone.
func TestMemoryLimiter(t *testing.T) {
	t.Parallel()
	limiter := distill.NewMemoryLimiter(1 << 20)
	release, err := limiter.Acquire(t.Context(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := limiter.Acquire(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one came in beside it: %v", err)
	}
	release()
	if _, err := limiter.Acquire(t.Context(), 1<<19); err != nil {
		t.Error(err)
	}
}
