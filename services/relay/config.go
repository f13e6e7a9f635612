package relay

import (
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config sets how long rows are stored. Memories are stored for ever.
type Config struct {
	Inbox             time.Duration `koanf:"inbox" help:"Marks of handled events; at least 360h. 0 keeps them for ever."`
	Outbox            time.Duration `koanf:"outbox" help:"Published events, for winnow replay outbox. 0 keeps them for ever."`
	RejectedProposals time.Duration `koanf:"rejected_proposals" help:"Rejected proposals. 0 keeps them for ever."`
	Traces            time.Duration `koanf:"traces" help:"What was said in sessions and what models answered; that there was a session stays. 0 keeps them for ever."`
	Research          time.Duration `koanf:"research" help:"What callers searched for and read in full, which a topic summary asks for; at least 24h. 0 keeps it for ever."`
}

// DefaultConfig returns [store.DefaultRetention].
func DefaultConfig() Config { return Config(store.DefaultRetention()) }

// Validate returns an error for every invalid value.
func (c Config) Validate() error {
	if least := store.DefaultRetention().Inbox; c.Inbox != 0 && c.Inbox < least {
		return fmt.Errorf("inbox: %s is shorter than a stream may deliver again; give at least %s", c.Inbox, least)
	}
	if least := 24 * time.Hour; c.Research != 0 && c.Research < least {
		return fmt.Errorf("research: %s is shorter than what a summary looks back on; give at least %s", c.Research, least)
	}
	return nil
}

// Settings are the relay's. Their key names the retention and not the relay.
var Settings = worker.SettingsAt("retention", DefaultConfig)
