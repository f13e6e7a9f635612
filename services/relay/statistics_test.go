package relay

import "testing"

// Statistics are refreshed at the first threshold and at ten times that, and not
// again. From there autovacuum runs early enough.
func TestGrowthIsToldTwice(t *testing.T) {
	t.Parallel()
	g, told := newGrowth(), []int(nil)
	for range 100 {
		if g.due(500) {
			told = append(told, g.rows)
		}
	}
	if len(told) != 2 || told[0] != firstGrowth || told[1] != lastGrowth {
		t.Errorf("told at %v, want at %d and %d rows", told, firstGrowth, lastGrowth)
	}
}
