package api

import (
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// layout is the layout of MEMORY.md, equal to that of the vault.
var layout = worker.SettingsAt("", memoryfile.DefaultConfig)

// consolidation says when a run is needed, equal to that of the consolidation worker.
var consolidation = worker.SettingsAt(trigger.Key, trigger.DefaultConfig)
