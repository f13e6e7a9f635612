package run

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible is a context that ends at the first SIGTERM or interrupt, which
// asks for a drain. From then on signals mean again what the system says, so a
// second one ends the process at once: whoever asks twice means it.
func Interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(parent, syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
