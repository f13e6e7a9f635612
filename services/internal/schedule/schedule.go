package schedule

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a container may have no zones

	"github.com/robfig/cron/v3"
)

// Schedule is a rule in a zone. It is immutable and safe for concurrent use.
type Schedule struct {
	rule cron.Schedule
	loc  *time.Location
}

// maxSlots bounds the walk over missed slots. A rule of every second and an outage of a
// week stay below it.
const maxSlots = 1_000_000

// New parses a cron rule of five fields, or of six with the seconds first, and a zone of
// the IANA database. The error names the field.
func New(rule, zone string) (Schedule, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return Schedule{}, fmt.Errorf("zone %q: write it like Europe/Berlin", zone)
	}
	if strings.Contains(rule, "TZ=") {
		// The parser would use a zone in the rule, which could differ from zone.
		return Schedule{}, fmt.Errorf("rule %q: the zone is a setting of its own", rule)
	}
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	parsed, err := parser.Parse(rule)
	if err != nil {
		return Schedule{}, fmt.Errorf("rule %q: %w; write it like 0 9 * * 1", rule, err)
	}
	return Schedule{rule: parsed, loc: loc}, nil
}

// Location returns the zone.
func (s Schedule) Location() *time.Location { return s.loc }

// Next returns the first slot after t, or zero when there is none within five years. The
// rule refers to local time. A slot that the change to summer time skips is later by the
// same amount, and a local time that occurs twice in autumn is one slot. (The library alone
// would skip the former until the next match.)
func (s Schedule) Next(t time.Time) time.Time {
	local := t.In(s.loc)
	wall := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), time.UTC)
	for {
		if wall = s.rule.Next(wall); wall.IsZero() {
			return wall
		}
		at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, s.loc)
		if at.After(t) {
			return at.UTC()
		}
	}
}

// Due returns the latest slot after last and not after now: missed slots run once, late. ok
// is false when none is due.
func (s Schedule) Due(last, now time.Time) (slot time.Time, ok bool) {
	for range maxSlots {
		next := s.Next(last)
		if next.IsZero() || next.After(now) {
			break
		}
		slot, last, ok = next, next, true
	}
	return slot, ok
}
