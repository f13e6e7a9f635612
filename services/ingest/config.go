package ingest

import (
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

var (
	// Trust lists which tools and commands bring words from outside.
	Trust = worker.SettingsAt("trust", trust.DefaultConfig)
	// Limits bound what one session may cost.
	Limits = worker.SettingsAt("trace", trace.DefaultLimits)
)
