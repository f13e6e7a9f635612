package openai

import (
	"context"
	"time"
)

// Sleep is what an embedder waits with.
var Sleep = sleep

// SetWait replaces it, so that a test sees pauses instead of living through
// them.
func (e *Embedder) SetWait(wait func(context.Context, time.Duration) error) { e.wait = wait }
