package trigger

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/schedule"
)

// Scheduler configures the runs of projects by interval. The names are the seed's
// (S4.67, S4.68).
type Scheduler struct {
	Enabled   bool          `koanf:"enabled" env:"CONSOLIDATION_SCHEDULER_ENABLED" help:"Consolidate every project each interval. The other triggers do not depend on it."`
	Interval  time.Duration `koanf:"interval" env:"CONSOLIDATION_SCHEDULER_INTERVAL" help:"Time between two scheduled runs of a project."`
	Projects  []string      `koanf:"projects" help:"Ids of the projects that take part, such as github.com/acme/api. Empty takes every project."`
	Threshold float64       `koanf:"similarity_threshold" env:"CONSOLIDATION_SCHEDULER_SIMILARITY_THRESHOLD" help:"Cosine above which memories are similar in scheduled runs, strictly. 0 takes the point calibrated for the embedding model."`
}

// DefaultScheduler returns a run each day at the calibrated point: a number belongs to
// one embedding model, so none is right for all (D2).
func DefaultScheduler() Scheduler { return Scheduler{Enabled: true, Interval: 24 * time.Hour} }

// Validate returns an error that names every invalid value.
func (s Scheduler) Validate() error {
	var errs []error
	if s.Interval < time.Minute {
		errs = append(errs, errors.New("interval: give 1m or more, such as 24h"))
	}
	if s.Threshold < 0 || s.Threshold >= 1 {
		errs = append(errs, errors.New("similarity_threshold: give 0 for the calibrated point, or a cosine below 1"))
	}
	return errors.Join(errs...)
}

// Config says when a run is needed and which memories it reads. The names of the count
// and the limits are the seed's (S0.49).
type Config struct {
	Count          int           `koanf:"memory_count_threshold" help:"A scope with more active memories is consolidated when its last run is a window ago. 0 turns this trigger off."`
	Window         time.Duration `koanf:"window" help:"Time after a run of a scope in which only force begins another."`
	MinCluster     int           `koanf:"min_cluster_size" help:"Least number of memories that are merged into one."`
	MaxAgeDays     int           `koanf:"max_age_days" help:"Memories older than so many days are left alone. 0 takes all."`
	Margin         float64       `koanf:"threshold_margin" help:"How far below the point calibrated for the embedding model a tool or a command may set similarity_threshold. A dry run may go lower."`
	MaxMemories    int           `koanf:"max_memories" help:"Memories that a run asked for by an agent's tool compares, the newest first. Scheduled runs compare all."`
	WeeklySchedule string        `koanf:"weekly_schedule" help:"When the memories of each user are consolidated, as a cron line of five fields, in UTC. Empty turns this trigger off."`
	WeeklyLeast    int           `koanf:"weekly_memories" help:"A user with more active memories takes part in the weekly run."`
}

// DefaultConfig returns the seeds' numbers.
func DefaultConfig() Config {
	return Config{
		Count: 100, Window: 24 * time.Hour, MinCluster: 2, Margin: 0.15, MaxMemories: 1000, WeeklySchedule: "0 3 * * 0", WeeklyLeast: 20,
	}
}

// Validate returns an error that names every invalid value.
func (c Config) Validate() error {
	var errs []error
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"memory_count_threshold", c.Count, 0}, {"min_cluster_size", c.MinCluster, 2}, {"max_age_days", c.MaxAgeDays, 0},
		{"max_memories", c.MaxMemories, 2}, {"weekly_memories", c.WeeklyLeast, 0},
	} {
		if n.value < n.least {
			errs = append(errs, fmt.Errorf("%s: give %d or more", n.name, n.least))
		}
	}
	if !(c.Margin >= 0 && c.Margin <= 1) {
		errs = append(errs, errors.New("threshold_margin: give 0 to 1, such as 0.15"))
	}
	if c.Window < 0 {
		errs = append(errs, errors.New("window: give 0 or a duration such as 24h"))
	}
	if c.WeeklySchedule != "" {
		if _, err := schedule.New(c.WeeklySchedule, "UTC"); err != nil {
			errs = append(errs, fmt.Errorf("weekly_schedule: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Key is the path of [Config] among the settings, and SchedulerKey that of [Scheduler].
const (
	Key          = "consolidation"
	SchedulerKey = "consolidation_scheduler"
)
