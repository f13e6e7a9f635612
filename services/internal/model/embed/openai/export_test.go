package openai

import (
	"context"
	"time"
)

// Sleep is the embedder's wait function.
var Sleep = sleep

// SetWait replaces the embedder's Sleep, so that a test sees pauses without waiting.
func (e *Embedder) SetWait(wait func(context.Context, time.Duration) error) { e.wait = wait }
