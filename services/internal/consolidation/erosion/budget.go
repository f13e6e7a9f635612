package erosion

import "time"

// The shares and the floor of D10, and the length of a month: a store that is asked on
// 31 January must not find an empty month on 1 February.
const (
	RunPercent   = 30
	MonthPercent = 40
	Floor        = 5
	Month        = 30 * 24 * time.Hour
)

// Budget counts one scope at the beginning of a run. Automation has one budget: the
// weekly strategy, prune and hygiene count each other's archives.
type Budget struct {
	// Active is the number of active memories, before the run changes any.
	Active int
	// Eroded is how many memories automation archived without a successor within the
	// last [Month]. Those that an undo restored do not count.
	Eroded int
}

// Allowed returns how many memories a run may archive without a successor, 0 or more.
// Shares are rounded down. The month's share is of what the month began with as far as
// that is known: the active memories and those that automation took since. New memories
// of the month raise it, which only happens where something was gained.
//
// A scope of a handful may lose [Floor] rows in a run and in a month, else nothing could
// ever be forgotten in it.
func (b Budget) Allowed() int {
	active, eroded := max(b.Active, 0), max(b.Eroded, 0)
	run := max(active*RunPercent/100, Floor)
	month := max((active+eroded)*MonthPercent/100, Floor) - eroded
	return max(min(run, month, active), 0)
}

// Split divides rows, the least doubtful first, into those that the budget allows and
// those that are left to a person. Both are parts of the argument.
func Split[T any](b Budget, rows []T) (allowed, left []T) {
	n := min(b.Allowed(), len(rows))
	return rows[:n:n], rows[n:]
}
