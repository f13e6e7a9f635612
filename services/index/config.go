package index

import (
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Layout is that of MEMORY.md.
var Layout = worker.SettingsAt("", memoryfile.DefaultConfig)
