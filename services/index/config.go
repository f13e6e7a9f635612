package index

import (
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Layout holds the settings of MEMORY.md's layout.
var Layout = worker.SettingsAt("", memoryfile.DefaultConfig)
