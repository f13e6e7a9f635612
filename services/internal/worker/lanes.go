package worker

import "errors"

// LaneConfig bounds what one process of triage remembers of scopes.
type LaneConfig struct {
	Lanes  int `koanf:"lanes" help:"Scopes that one process remembers at most; those not used for longest go first."`
	Memory int `koanf:"lane_memory" help:"MiB that one process may spend on what it remembers of scopes, at most half of it on large ones."`
	Rows   int `koanf:"lane_rows" help:"Memories, or open proposals, of the largest scope that is compared whole; of a larger one, and while a large one is loaded, the index is asked what to compare with."`
}

// DefaultLaneConfig suits a machine with a few GiB: about 200,000 texts, of which a lane holds 5 kB each.
func DefaultLaneConfig() LaneConfig {
	return LaneConfig{Lanes: 50_000, Memory: 1024, Rows: 100_000}
}

// Validate names every value that cannot be used.
func (c LaneConfig) Validate() error {
	var errs []error
	if c.Lanes < 1 {
		errs = append(errs, errors.New("lanes: give 1 or more"))
	}
	if c.Memory < 16 {
		errs = append(errs, errors.New("lane_memory: give 16 (MiB) or more"))
	}
	if c.Rows < 1000 {
		errs = append(errs, errors.New("lane_rows: give 1000 or more"))
	}
	return errors.Join(errs...)
}
