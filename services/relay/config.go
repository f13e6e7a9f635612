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
}

// DefaultConfig returns [store.DefaultRetention].
func DefaultConfig() Config { return Config(store.DefaultRetention()) }

// Validate returns an error for every invalid value.
func (c Config) Validate() error {
	if least := store.DefaultRetention().Inbox; c.Inbox != 0 && c.Inbox < least {
		return fmt.Errorf("inbox: %s is shorter than a stream may deliver again; give at least %s", c.Inbox, least)
	}
	return nil
}

// Settings are the relay's. Their key names the retention and not the relay.
var Settings = worker.SettingsAt("retention", DefaultConfig)
