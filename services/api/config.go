package api

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// layout is the layout of MEMORY.md, equal to that of the vault.
var layout = worker.SettingsAt("", memoryfile.DefaultConfig)

// learning says what signals change, the same for every worker that records them.
var learning = worker.SettingsAt(confidence.Section, confidence.DefaultConfig)

// consolidation says when a run is needed, equal to that of the consolidation worker.
var consolidation = worker.SettingsAt(trigger.Key, trigger.DefaultConfig)

// summaryConfig are the settings of topic summaries.
type summaryConfig struct {
	Protocol string `koanf:"protocol" help:"What happens to a topic summary whose author did not search the topic deeply, read 20 of its memories and its present summary: enforce refuses it, warn stores it and says so."`
}

// Validate implements [worker.Config].
func (c summaryConfig) Validate() error {
	if c.Protocol != topic.Enforce && c.Protocol != topic.Warn {
		return fmt.Errorf("protocol: %q; write %s or %s", c.Protocol, topic.Enforce, topic.Warn)
	}
	return nil
}

var summary = worker.SettingsAt("summary", func() summaryConfig { return summaryConfig{Protocol: topic.Enforce} })
