package triage

import (
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config says by which policy triage judges.
type Config struct {
	Policies map[string]string `koanf:"policies" help:"Triage policy by kind of scope, such as user=personal; kinds that are not named use what the store says."`
}

// DefaultConfig leaves every policy to the store.
func DefaultConfig() Config { return Config{Policies: map[string]string{}} }

// Validate names every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	for kind := range c.Policies {
		if _, err := memory.ParseScope(kind + ":x"); err != nil {
			errs = append(errs, fmt.Errorf("policies.%s: is no kind of scope; use user, project, team or org", kind))
		}
	}
	return errors.Join(errs...)
}

// forScopes are the configured policies by kind of scope.
func (c Config) forScopes() map[memory.ScopeKind]string {
	m := make(map[memory.ScopeKind]string, len(c.Policies))
	for kind, policy := range c.Policies {
		m[memory.ScopeKind(kind)] = policy
	}
	return m
}

// Settings are triage's, at the top level.
var Settings = worker.SettingsAt("", DefaultConfig)
