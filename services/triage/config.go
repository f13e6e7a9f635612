package triage

import (
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config selects the policies by which triage judges.
type Config struct {
	Policies map[string]string `koanf:"policies" help:"Triage policy by kind of scope, such as user=personal; kinds that are not named use what the store says."`
}

// DefaultConfig leaves every policy to the store.
func DefaultConfig() Config { return Config{Policies: map[string]string{}} }

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	for kind := range c.Policies {
		if _, err := memory.ParseScope(kind + ":x"); err != nil {
			errs = append(errs, fmt.Errorf("policies.%s: is no kind of scope; use user, project, team or org", kind))
		}
	}
	return errors.Join(errs...)
}

// forScopes returns the configured policies by kind of scope.
func (c Config) forScopes() map[memory.ScopeKind]string {
	m := make(map[memory.ScopeKind]string, len(c.Policies))
	for kind, policy := range c.Policies {
		m[memory.ScopeKind(kind)] = policy
	}
	return m
}

// The groups of settings that triage reads.
var (
	// Settings are triage's own, at the top level.
	Settings = worker.SettingsAt("", DefaultConfig)
	// Trust lists the tools and commands that bring words from outside. Ingest reads
	// the same group, because both judge a text by its session.
	Trust = worker.SettingsAt("trust", trust.DefaultConfig)
	// Lanes bounds the lane cache, under triage's own name.
	Lanes = worker.SettingsOf(DefaultLaneConfig)
)

// LaneConfig bounds the lanes that one process caches.
type LaneConfig struct {
	Lanes  int `koanf:"lanes" help:"Scopes that one process remembers at most; those not used for longest go first."`
	Memory int `koanf:"lane_memory" help:"MiB that one process may spend on what it remembers of scopes, at most half of it on large ones."`
	Rows   int `koanf:"lane_rows" help:"Memories, or open proposals, of the largest scope that is compared whole; of a larger one, and while a large one is loaded, the index is asked what to compare with."`
}

// DefaultLaneConfig suits a machine with a few GiB: about 200,000 texts, of which a
// lane holds 5 kB each.
func DefaultLaneConfig() LaneConfig { return LaneConfig{Lanes: 50_000, Memory: 1024, Rows: 100_000} }

// Validate reports every value that cannot be used.
func (c LaneConfig) Validate() error {
	var errs []error
	if c.Lanes < 1 {
		errs = append(errs, errors.New("lanes: holds no scope; give 1 or more"))
	}
	if c.Memory < 16 {
		errs = append(errs, errors.New("lane_memory: holds no scope of some size; give 16 (MiB) or more"))
	}
	if c.Rows < 1000 {
		errs = append(errs, errors.New("lane_rows: leaves ordinary scopes to the index; give 1000 or more"))
	}
	return errors.Join(errs...)
}
