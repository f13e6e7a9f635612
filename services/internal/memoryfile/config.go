package memoryfile

import (
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Config is the layout of a MEMORY.md, the same for every process that writes or shows
// one.
type Config struct {
	Vault    Budget   `koanf:"vault"`
	Sections []string `koanf:"sections" help:"Headings of MEMORY.md in their order; others follow by name."`
}

// Budget is the length of a MEMORY.md.
type Budget struct {
	Lines int `koanf:"lines" help:"Lines that a MEMORY.md may have; what is worth less goes to files beside it."`
}

// DefaultConfig returns a budget of [DefaultBudget] lines.
func DefaultConfig() Config {
	return Config{Vault: Budget{Lines: DefaultBudget}, Sections: memory.DefaultSections()}
}

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if c.Vault.Lines < MinBudget {
		errs = append(errs, fmt.Errorf("vault.lines: %d lines; give %d or more", c.Vault.Lines, MinBudget))
	}
	return errors.Join(errs...)
}
