package learn

import (
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Settings say what signals change, under the seed's name.
var Settings = worker.SettingsAt(confidence.Section, confidence.DefaultConfig)
