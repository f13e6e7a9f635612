package api

import (
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	asking "github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// layout is the layout of MEMORY.md, equal to that of the vault.
var layout = worker.SettingsAt("", memoryfile.DefaultConfig)

// learning says what signals change, the same for every worker that records them.
var learning = worker.SettingsAt(confidence.Section, confidence.DefaultConfig)

// consolidation says when a run is needed, equal to that of the consolidation worker.
var consolidation = worker.SettingsAt(trigger.Key, trigger.DefaultConfig)

// questions says how a digest asks and reads answers, equal to that of the digest worker.
var questions = worker.SettingsAt("digest", asking.DefaultConfig)

// searchConfig are the settings of the seed's section reasoning_bank.search that an
// answer depends on (S4.30). The weights of scopes are settings of every process that
// searches.
type searchConfig struct {
	DefaultLimit  int     `koanf:"default_limit" help:"Memories in an answer to an agent that names no limit."`
	MaxLimit      int     `koanf:"max_limit" help:"The most that an agent may ask for in a standard search."`
	MinConfidence float64 `koanf:"min_confidence" help:"What is held with less is left out of a search that names no other minimum, 0 to 1, inclusive. Memories are recorded with 0.6 or more."`
}

// Validate implements [worker.Config].
func (c searchConfig) Validate() error {
	var errs []error
	if c.MaxLimit < 1 || c.MaxLimit > search.Standard.Most {
		errs = append(errs, fmt.Errorf("max_limit: is %d; give 1 to %d", c.MaxLimit, search.Standard.Most))
	}
	if c.DefaultLimit < 1 || c.DefaultLimit > c.MaxLimit {
		errs = append(errs, fmt.Errorf("default_limit: is %d; give 1 to max_limit", c.DefaultLimit))
	}
	if !(c.MinConfidence >= 0 && c.MinConfidence <= 1) {
		errs = append(errs, fmt.Errorf("min_confidence: is %v; give 0 to 1", c.MinConfidence))
	}
	return errors.Join(errs...)
}

var searches = worker.SettingsAt("reasoning_bank.search", func() searchConfig {
	return searchConfig{DefaultLimit: defaultLimit, MaxLimit: maxLimit, MinConfidence: search.DefaultMinConfidence}
})

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
