package ingest

import (
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

var (
	// Trust lists which tools and commands bring words from outside.
	Trust = worker.SettingsAt("trust", trust.DefaultConfig)
	// Limits bounds the cost of one session.
	Limits = worker.SettingsAt("trace", trace.DefaultLimits)
)
