package wording

import (
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func TestExchanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Transition
	}{
		{"Backups go to nas-5 instead of nas-2.", Transition{"nas-2", "nas-5"}},
		{"It starts at 03:45 UTC instead of 02:15.", Transition{"02:15", "03:45"}},
		{"The export no longer writes Latin-1 but UTF-8.", Transition{"latin-1", "utf-8"}},
		{"Der Dienst nutzt nicht mehr `redis`, sondern `valkey`.", Transition{"redis", "valkey"}},
		{"`jmeter` was replaced by `k6`.", Transition{"jmeter", "k6"}},
		{"Die Aufbewahrung wurde von 7 auf 21 Tage angehoben.", Transition{"7", "21"}},
		{"Der Server zog von Raum 12 nach Raum 40 um.", Transition{"12", "40"}},
	} {
		tokens := memory.Scan(c.text)
		if got := exchanges(tokens); !slices.Contains(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
	for _, text := range []string{"Backups go to nas-5.", "No longer than 5 seconds.", "Der Weg von Berlin nach Hamburg dauert 2 Stunden.", "instead", "no longer but"} {
		if got := exchanges(memory.Scan(text)); len(got) > 0 {
			t.Errorf("%q changes nothing, got %v", text, got)
		}
	}
}
