package trigger

import (
	"fmt"
	"time"
)

// Facts are what is known of a scope when a run of it is considered.
type Facts struct {
	Now time.Time
	// Active counts the active memories. A reader may stop at the first above the
	// threshold (S0.61).
	Active int
	// Last is the time of the last run, zero for none. A dry run is none (S4.59).
	Last time.Time
	// Running says that a run of the scope has begun and not ended.
	Running bool
}

// Answer says whether a run is needed, and why or why not in one sentence.
type Answer struct {
	Needed bool
	Reason string
}

// Due answers by the window alone: a run is needed when the last one is a window ago or
// longer (S4.57).
func (c Config) Due(f Facts) Answer {
	switch ago := f.Now.Sub(f.Last); {
	case f.Running:
		return Answer{Reason: "a run of this scope has not ended yet"}
	case !f.Last.IsZero() && ago < c.Window:
		return Answer{Reason: fmt.Sprintf("the last run was %s ago, and the window is %s; force begins another", round(ago), c.Window)}
	case f.Last.IsZero():
		return Answer{Needed: true, Reason: "it has never been consolidated"}
	default:
		return Answer{Needed: true, Reason: fmt.Sprintf("the last run was %s ago", round(ago))}
	}
}

// Should answers by the count first: a run is needed when the scope has strictly more
// memories than the threshold and the last run is a window ago (S0.61, D15). least
// replaces the setting where it is above 0.
func (c Config) Should(f Facts, least int) Answer {
	if least <= 0 {
		least = c.Count
	}
	switch {
	case least <= 0:
		return Answer{Reason: "memory_count_threshold is 0, so the count asks for no run"}
	case f.Active <= least:
		return Answer{Reason: fmt.Sprintf("it has %d active memories, and more than %d are needed", f.Active, least)}
	}
	due := c.Due(f)
	if due.Needed {
		due.Reason = fmt.Sprintf("it has more than %d active memories, and %s", least, due.Reason)
	}
	return due
}

// round drops digits that a person does not read.
func round(d time.Duration) time.Duration {
	if d >= time.Hour {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}
