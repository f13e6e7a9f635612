package trigger

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Names of the schedules in the store. That of the threshold is one for each scope.
const (
	ScheduleInterval = "consolidation.interval"
	ScheduleWeekly   = "consolidation.weekly"
	scheduleCount    = "consolidation.count/"
)

// IntervalSlot returns the latest slot of the interval after last and not after now.
// Missed slots are one slot, late. All processes that read the same last slot compute
// the same one.
func (s Scheduler) IntervalSlot(last, now time.Time) (slot time.Time, ok bool) {
	n := now.Sub(last) / s.Interval
	if n < 1 {
		return time.Time{}, false
	}
	return last.Add(n * s.Interval), true
}

// CountSlot returns the slot that a run by the count claims. It follows from the scope's
// newest run alone, failed ones included, so that several processes that see the count at
// once ask for one run, and a run that failed is asked for again after a window.
func (c Config) CountSlot(scope memory.Scope, newest time.Time) (name string, at time.Time) {
	if newest.IsZero() {
		return scheduleCount + string(scope), time.Unix(0, 0).UTC()
	}
	return scheduleCount + string(scope), newest.Add(c.Window)
}
