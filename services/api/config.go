package api

import (
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// layout is that of MEMORY.md, which agents read as the vault has it.
var layout = worker.SettingsAt("", memoryfile.DefaultConfig)
