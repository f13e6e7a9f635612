package api

import (
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// layout is the layout of MEMORY.md, equal to that of the vault.
var layout = worker.SettingsAt("", memoryfile.DefaultConfig)

// learning says what signals change, the same for every worker that records them.
var learning = worker.SettingsAt(confidence.Section, confidence.DefaultConfig)
