package schedule_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/schedule"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// D8, S3.26: Monday at nine by the reviewer's clock, summer and winter.
func TestMondayAtNine(t *testing.T) {
	t.Parallel()
	s, err := schedule.New("0 9 * * 1", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, after, want string }{
		{"winter", "2026-11-21T10:00:00Z", "2026-11-23T08:00:00Z"},
		{"the moment itself is past", "2026-11-23T08:00:00Z", "2026-11-30T08:00:00Z"},
		{"the Monday after the clock went forward", "2026-03-27T12:00:00Z", "2026-03-30T07:00:00Z"},
		{"the Monday after it went back", "2026-10-23T12:00:00Z", "2026-10-26T08:00:00Z"},
	} {
		if got := s.Next(at(t, c.after)); !got.Equal(at(t, c.want)) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A slot in the hour that does not exist runs once, late; in the hour that
// exists twice it runs once.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	s, err := schedule.New("30 2 * * *", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	spring := at(t, "2026-03-28T12:00:00Z")
	first := s.Next(spring)
	if want := at(t, "2026-03-29T01:30:00Z"); !first.Equal(want) {
		t.Errorf("spring: %s, want %s", first, want)
	}
	if want := at(t, "2026-03-30T00:30:00Z"); !s.Next(first).Equal(want) {
		t.Errorf("the day after: %s, want %s", s.Next(first), want)
	}
	autumn := s.Next(at(t, "2026-10-24T12:00:00Z")) // 02:30 happens twice that night
	if want := at(t, "2026-10-25T01:30:00Z"); !autumn.Equal(want) {
		t.Errorf("autumn: %s, want %s", autumn, want)
	}
	if want := at(t, "2026-10-26T01:30:00Z"); !s.Next(autumn).Equal(want) {
		t.Errorf("the day after: %s, want %s", s.Next(autumn), want)
	}
}

// D8: missed slots run once, late; nothing is due before its time.
func TestMissedSlotsAreOne(t *testing.T) {
	t.Parallel()
	s, err := schedule.New("0 9 * * 1", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	last := at(t, "2026-11-02T09:00:00Z")
	if slot, ok := s.Due(last, at(t, "2026-11-09T08:59:59Z")); ok {
		t.Errorf("due early: %s", slot)
	}
	slot, ok := s.Due(last, at(t, "2026-11-25T12:00:00Z"))
	if want := at(t, "2026-11-23T09:00:00Z"); !ok || !slot.Equal(want) {
		t.Errorf("after three weeks: %s %v, want %s", slot, ok, want)
	}
	if _, ok := s.Due(slot, at(t, "2026-11-25T12:00:00Z")); ok {
		t.Error("due again")
	}
}

// Slots grow, whatever the zone does.
func TestSlotsGrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"}).Draw(t, "zone")
		rule := rapid.SampledFrom([]string{"0 9 * * 1", "30 2 * * *", "*/7 * * * *", "15 1,2,3 * * 0", "*/20 * * * * *"}).Draw(t, "rule")
		s, err := schedule.New(rule, zone)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1_500_000_000, 1_900_000_000).Draw(t, "now"), 0)
		for range 5 {
			next := s.Next(now)
			if !next.After(now) {
				t.Fatalf("%s is not after %s", next, now)
			}
			now = next
		}
	})
}

func TestRefusedRules(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", "UTC"}, {"0 9 * *", "UTC"}, {"99 9 * * 1", "UTC"}, {"0 9 * * 1", "Mars/Olympus"}, {"TZ=UTC 0 9 * * 1", "UTC"}} {
		if _, err := schedule.New(c[0], c[1]); err == nil {
			t.Errorf("%q in %q is accepted", c[0], c[1])
		}
	}
}
